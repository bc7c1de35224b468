// Measures how long opening a model and each later choice take. Prints medians; run with
//   build/release/bin/bench_study --benchmark_repetitions=5 --benchmark_report_aggregates_only=true
// The reference models are beside the project; a generated chain of layers replaces missing ones.

#include <benchmark/benchmark.h>

#include <filesystem>

#include "core/allocator/replay.h"
#include "core/base/search_limit.h"
#include "core/memory/step_peak.h"
#include "core/onnx/model_file.h"
#include "core/study/reserved/allocator_map.h"
#include "core/study/step/study.h"
#include "core/study/step/variants.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace {

const std::filesystem::path models = STASHSCOPE_SHARED "/models/full";

Choices choices_for(const std::filesystem::path& path) {
  Choices choices;
  if (path.filename().string().starts_with("gpt2")) {
    choices.dims = {{"inputs_input_ids_dim0", 8}, {"inputs_input_ids_dim1", 1024}};
  }
  return choices;
}

std::shared_ptr<const Graph> load(const std::string& name) {
  const auto path = models / (name + ".onnx");
  if (!std::filesystem::exists(path)) {
    return std::make_shared<const Graph>(test::deep_perceptron(1500).build());
  }
  return std::make_shared<const Graph>(load_model(path));
}

void open_model(benchmark::State& state, const std::string& name) {
  for (auto _ : state) {
    const auto model = load(name);
    benchmark::DoNotOptimize(compute_study(model, choices_for(name), nullptr, Progress()));
  }
}

/// Switches the first plan on and off and computes everything that the window shows.
void tick_plan(benchmark::State& state, const std::string& name) {
  const auto model = load(name);
  Choices off = choices_for(name);
  std::shared_ptr<const Study> study = compute_study(model, off, nullptr, Progress());
  Choices on = off;
  if (!study->plan_table->plans.empty())
    on.plans.config = parse_config(study->plan_table->plans.front().config);
  bool is_on = false;
  for (auto _ : state) {
    is_on = !is_on;
    study = compute_study(model, is_on ? on : off, study.get(), Progress());
  }
  state.counters["nodes"] = static_cast<double>(study->graph().nodes().size());
}

/// The evaluation that a search over plans repeats: the peak of one choice in one order.
void evaluate_plans(benchmark::State& state, const std::string& name, const std::string& order) {
  const auto study = compute_study(load(name), choices_for(name), nullptr, Progress());
  const Opportunities& found = *study->opportunities;
  const RecomputeConfig config = config_of_all(found, true);
  const UpdateMemory update;
  for (auto _ : state) {
    const Dataflow dataflow =
        apply_plans(study->graph(), study->prepared->ops, found, select_plans(found, config));
    const OrderInput input = order_input(*study->prepared, *study->sizes, update, dataflow);
    const std::vector<NodeId> nodes = find_order(order).order(input);
    benchmark::DoNotOptimize(peak_of(dataflow, input.memory, nodes));
  }
}

void change_dimension(benchmark::State& state, const std::string& name) {
  const auto model = load(name);
  Choices choices = choices_for(name);
  std::shared_ptr<const Study> study = compute_study(model, choices, nullptr, Progress());
  const std::string dimension = study->sizes->dims.dimensions.front().name;
  std::int64_t value = 1;
  for (auto _ : state) {
    value = value % 16 + 1;
    choices.dims[dimension] = value;
    study = compute_study(model, choices, study.get(), Progress());
  }
}

/// A million events: random tensors from 512 B to 32 MiB, up to 2,000 at a time, all freed at last.
std::vector<AllocatorEvent> million_events() {
  SearchRandom random(1);
  CachingAllocator allocator;
  std::vector<std::pair<MemoryBlockId, AllocatorEvent>> live;
  std::vector<AllocatorEvent> events;
  for (std::size_t left = 500'000; left > 0 || !live.empty();) {
    if (left > 0 && (live.empty() || (live.size() < 2000 && random.below(2) == 0))) {
      const std::int64_t bytes = (std::int64_t{512} << random.below(17)) + random.below(512);
      const MemoryBlockId block = allocator.allocate(bytes);
      live.push_back({block, {AllocatorAction::alloc, allocator.block(block).address, bytes, 0}});
      events.push_back(live.back().second);
      --left;
    } else {
      std::swap(live[random.below(static_cast<std::uint32_t>(live.size()))], live.back());
      AllocatorEvent freed = live.back().second;
      freed.action = AllocatorAction::free_completed;
      events.push_back(freed);
      allocator.free(live.back().first);
      live.pop_back();
    }
  }
  return events;
}

void replay_million_events(benchmark::State& state) {
  const std::vector<AllocatorEvent> events = million_events();
  for (auto _ : state) {
    benchmark::DoNotOptimize(replay(events, RecordedState{}, ReplayAddresses::own));
  }
}

/// A tick of a plan while the window shows reserved memory.
void tick_plan_with_reserved(benchmark::State& state, const std::string& name) {
  const auto model = load(name);
  auto study = compute_study(model, choices_for(name), nullptr, Progress());
  Choices choices = study->choices;
  for (auto _ : state) {
    choices.plans.level = 1 - choices.plans.level;
    study = compute_study(model, choices, study.get(), Progress());
    benchmark::DoNotOptimize(reserved_step(*study, *study->current, AllocatorSettings()));
  }
}

BENCHMARK(replay_million_events)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tick_plan_with_reserved, gpt2_124m, "gpt2_124m_train_fwd")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(open_model, gpt2_124m, "gpt2_124m_train_fwd")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(open_model, gpt2_xl, "gpt2_xl_1.5b_train_fwd")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(open_model, tinyllama, "llama_tinyllama_1.1b_train_fwd")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tick_plan, gpt2_124m, "gpt2_124m_train_fwd")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tick_plan, gpt2_xl, "gpt2_xl_1.5b_train_fwd")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(evaluate_plans, gpt2_xl_file, "gpt2_xl_1.5b_train_fwd", "file")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(evaluate_plans, gpt2_xl_reference, "gpt2_xl_1.5b_train_fwd", "reference")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(evaluate_plans, gpt2_xl_depth_first, "gpt2_xl_1.5b_train_fwd", "depth-first")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(evaluate_plans, gpt2_xl_bytes_freed, "gpt2_xl_1.5b_train_fwd", "bytes-freed")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(change_dimension, gpt2_124m, "gpt2_124m_train_fwd")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stashscope

BENCHMARK_MAIN();
