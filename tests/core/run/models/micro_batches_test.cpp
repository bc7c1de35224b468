// Steps in micro-batches have the results of the whole batch and the predicted memory.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/run/step/random_inputs.h"
#include "in_double.h"
#include "model_run.h"
#include "tests/support/model_builder.h"
#include "tests/support/refusal.h"
#include "tests/support/small_models.h"
#include "tests/support/thinned.h"

namespace stashscope {
namespace micro_batches_test {

using testing_run::ModelStep;
namespace fs = std::filesystem;

constexpr std::int64_t batch = 8;

TrainingStep step_of(const Graph& model, const std::string& count, const TrainingGoal& goal = {}) {
  PassSelection passes;
  add_what_if("micro=" + count, passes.what_ifs);
  return prepare_training_step(model, goal, passes);
}

/// Small sizes, with the batch on the first axis of inputs.
Bindings small_sizes(const Graph& graph, const std::vector<std::string>& batches) {
  Bindings bindings(graph.symbols().size(), 16);
  for (const SymbolId symbol : IdRange<SymbolId>(bindings.size())) {
    const std::string& name = graph.symbols().name(symbol);
    if (std::ranges::find(batches, name) != batches.end()) bindings[symbol] = batch;
  }
  return bindings;
}

/// The step of a model in micro-batches, with bindings for its sizes.
ModelStep sized_step(const Graph& model, const std::string& count, const Bindings& bindings,
                     const TrainingGoal& goal = {}) {
  ModelStep step(step_of(model, count, goal), {});
  for (const SymbolId symbol : IdRange<SymbolId>(step.bindings.size())) {
    step.bindings[symbol] = symbol.index() < bindings.size() ? bindings[symbol] : 16;
  }
  step.count_bytes();
  return step;
}

/// Runs a step and expects its memory at every slot, unless sizes depend on the data.
NamedTensors outputs_of(const ModelStep& step, const NamedTensors& inputs) {
  const RunPlan plan = step.default_plan();
  RunResult result = testing_run::run_on_cpu(plan, inputs);
  if (!step.step.graph->data().data_dependent.empty()) return std::move(result.outputs);
  EXPECT_EQ(result.measurement.live_bytes, plan.timeline.live_bytes);
  EXPECT_EQ(result.measurement.idle_bytes, plan.timeline.idle_bytes);
  return std::move(result.outputs);
}

void expect_near(const NamedTensors& actual, const NamedTensors& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  double scale = 0;
  for (const auto& [name, tensor] : expected) {
    if (!name.ends_with("_grad")) continue;
    scale = std::max(scale, testing_run::difference(tensor, tensor).largest_value);
  }
  for (const auto& [name, tensor] : expected) {
    const Difference found = testing_run::difference(actual.at(name), tensor);
    EXPECT_LE(found.largest, tolerance * std::max(found.largest_value, 1e-4 * scale)) << name;
  }
}

TEST(MicroBatches, HaveTheOutputsOfTheWholeBatch) {
  const Graph model = test::perceptron().build();
  const Bindings sizes = small_sizes(model, {"N"});
  const NamedTensors inputs = with_random_inputs(model, sizes, {}, 1);
  const ModelStep whole = sized_step(model, "1", sizes);
  const NamedTensors expected = outputs_of(whole, inputs);
  EXPECT_EQ(expected.at("scores").dims(), (std::vector<std::int64_t>{batch, 3}));
  for (const char* count : {"2", "4", "8"}) {
    SCOPED_TRACE(count);
    expect_near(outputs_of(sized_step(model, count, sizes), inputs), expected, 1e-5);
  }
}

TEST(MicroBatches, JoinSamplesOfAnyAxisAndAddUpOtherMeans) {
  test::ModelBuilder m;
  const Attributes all = {{"keepdims", std::int64_t{0}}};
  m.input("x", {"N", 4}).weight("w", {4, 3}).node("MatMul", {"x", "w"}, {"rows"});
  m.node("Transpose", {"rows"}, {"columns"}).node("ReduceMean", {"rows"}, {"mean"}, all);
  m.node("ReduceSumSquare", {"rows"}, {"loss"}, all);
  const Graph model = m.output("loss").output("columns").output("rows").output("mean").build();
  const Bindings sizes = small_sizes(model, {"N"});
  const NamedTensors inputs = with_random_inputs(model, sizes, {}, 1);
  TrainingGoal goal;
  goal.loss = "loss";
  const NamedTensors expected = outputs_of(sized_step(model, "1", sizes, goal), inputs);
  EXPECT_EQ(expected.at("columns").dims(), (std::vector<std::int64_t>{3, batch}));
  expect_near(outputs_of(sized_step(model, "4", sizes, goal), inputs), expected, 1e-5);
}

TEST(MicroBatches, HaveTheGradientsOfAModelWithoutALoss) {
  test::ModelBuilder m;
  m.input("x", {"N", 4}).weight("w", {4, 3}).node("MatMul", {"x", "w"}, {"scores"});
  const Graph model = m.output("scores").build();
  const Bindings sizes = small_sizes(model, {"N"});
  const NamedTensors inputs = with_random_inputs(model, sizes, {}, 1);
  const NamedTensors expected = outputs_of(sized_step(model, "1", sizes), inputs);
  expect_near(outputs_of(sized_step(model, "2", sizes), inputs), expected, 1e-5);
}

TEST(MicroBatches, HaveOneStepOfEvents) {
  const Graph model = test::perceptron().build();
  const Bindings sizes = small_sizes(model, {"N"});
  const ModelStep step = sized_step(model, "4", sizes);
  const RunPlan plan = step.default_plan();
  const NamedTensors inputs = with_random_inputs(*step.step.graph, step.bindings, {}, 1);
  EXPECT_EQ(inputs.at("x").dims()[0], batch) << "random data is that of the whole batch";
  std::size_t starts = 0;
  const auto result = make_runner("cpu")->run(
      plan, inputs,
      [&](const TraceEvent& event) { starts += event.kind == TraceEvent::Kind::node_start; }, {});
  EXPECT_EQ(starts, 4 * plan.timeline.order.size());
  EXPECT_EQ(result.measurement.node_seconds.size(), plan.timeline.order.size());
}

TEST(MicroBatches, RefuseSamplesThatTheyDoNotDivide) {
  const Graph model = test::perceptron().build();
  Bindings sizes = small_sizes(model, {"N"});
  const ModelStep step = sized_step(model, "4", sizes);
  sizes[SymbolId(0)] = 6;
  const NamedTensors inputs = with_random_inputs(model, sizes, {}, 1);
  const std::string message = test::refusal(
      ErrorKind::input, [&] { testing_run::run_on_cpu(step.default_plan(), inputs); });
  EXPECT_NE(message.find("6 samples, which 4 micro-batches do not divide"), std::string::npos)
      << message;
}

bool uses_statistics(const TrainingStep& step) {
  return std::ranges::any_of(step.warnings, [](const std::string& warning) {
    return warning.find("statistics of each micro-batch") != std::string::npos;
  });
}

bool draws_numbers(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(),
                             [](const Node& node) { return node.op_type == "Dropout"; });
}

/// Expects the gradients and outputs of the whole batch, but for batch statistics and random
/// numbers.
/// @param given sizes other than the batch
void expect_those_of_the_whole_batch(const Graph& model, const TrainingStep& split,
                                     const Bindings& given, const std::vector<const char*>& counts,
                                     double tolerance) {
  const SymbolId samples = split.graph->data().micro_batches->batch;
  Bindings sizes = small_sizes(*split.graph, {split.graph->symbols().name(samples)});
  for (const SymbolId symbol : IdRange<SymbolId>(given.size())) {
    if (given[symbol] && symbol != samples) sizes[symbol] = given[symbol];
  }
  const ModelStep whole = sized_step(model, "1", sizes);
  const NamedTensors inputs = with_random_inputs(*whole.step.graph, whole.bindings, {}, 1);
  const NamedTensors expected = outputs_of(whole, inputs);
  for (const char* count : counts) {
    SCOPED_TRACE(count);
    const NamedTensors actual = outputs_of(sized_step(model, count, sizes), inputs);
    if (uses_statistics(split) || draws_numbers(*split.graph)) continue;
    expect_near(actual, expected, tolerance);
  }
}

class ModelInMicroBatches : public testing::TestWithParam<std::string> {};

/// In float64, because the order of sums in float32 is not the one of the whole batch.
TEST_P(ModelInMicroBatches, HasTheGradientsOfTheWholeBatch) {
  const fs::path file = fs::path(STASHSCOPE_SHARED) / "models/small" / GetParam() / "model.onnx";
  if (!fs::exists(file)) GTEST_SKIP() << file << " is absent";
  Graph model = load_model(file);
  const bool is_mixed = GetParam().find("amp") != std::string::npos;
  if (!is_mixed) model = testing_run::in_double(std::move(model));
  const TrainingStep split = step_of(model, "2");
  ASSERT_TRUE(split.graph->data().micro_batches) << split.what_ifs.at(0).stopped_by.at(0).reason;
  expect_those_of_the_whole_batch(model, split, {}, {"2", "4", "8"}, is_mixed ? 0.1 : 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Files, ModelInMicroBatches,
                         testing::ValuesIn(test::thinned(test::small_models())),
                         [](const auto& each) { return each.param; });

class ExportInMicroBatches : public testing::TestWithParam<std::string> {};

/// Whatever names the exporter gives to the sizes of inputs.
TEST_P(ExportInMicroBatches, HasTheGradientsOfTheWholeBatch) {
  const fs::path file = fs::path(STASHSCOPE_SHARED) / "models/exported" / GetParam() / "model.onnx";
  if (!fs::exists(file)) GTEST_SKIP() << file << " is absent";
  const Graph model = testing_run::in_double(load_model(file));
  const TrainingStep split = step_of(model, "2");
  if (!split.graph->data().micro_batches) {
    const WhatIfStop& stop = split.what_ifs.at(0).stopped_by.at(0);
    EXPECT_EQ(stop.reason.find("does not stand for samples"), std::string::npos) << stop.reason;
    GTEST_SKIP() << stop.node << " " << stop.reason;
  }
  const Bindings sizes = testing_run::bindings_from(
      *split.graph, testing_run::load_tensors(file.parent_path() / "test_data_set_0", "input_"));
  expect_those_of_the_whole_batch(model, split, sizes, {"2", "8"}, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Files, ExportInMicroBatches,
                         testing::ValuesIn(test::thinned(test::exported_models())),
                         [](const auto& each) { return each.param; });

}  // namespace micro_batches_test
}  // namespace stashscope
