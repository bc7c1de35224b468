// A step that was planned for a budget: run on the CPU it makes the same bits as the step without
// plans, in the memory that is predicted.

#include "core/study/step/planned_step.h"

#include <gtest/gtest.h>

#include <set>

#include "core/run/step/random_inputs.h"
#include "core/study/files/session.h"
#include "core/study/search/budget.h"
#include "core/study/step/step_export.h"
#include "core/study/step/variants.h"
#include "tests/core/run/models/model_run.h"
#include "tests/support/model_builder.h"
#include "tests/support/refusal.h"
#include "tests/support/thinned.h"

namespace stashscope {
namespace planned_step_test {

namespace fs = std::filesystem;

std::shared_ptr<const Study> study_of(const Graph& model, const Choices& choices = {}) {
  return compute_study(std::make_shared<const Graph>(model), choices, nullptr, Progress());
}

std::shared_ptr<const Study> changed(const Study& study, const Choices& choices) {
  return compute_study(study.model, choices, &study, Progress());
}

Choices with_dim(const std::string& name, std::int64_t size) {
  Choices choices;
  choices.dims[name] = size;
  return choices;
}

/// A chain whose activations take most of its memory.
std::shared_ptr<const Study> deep_study(int layers = 6) {
  return study_of(test::deep_perceptron(layers).build(), with_dim("N", 64));
}

/// Plans for a budget of the persistent bytes and a share of the other bytes at the peak.
BudgetAnswer planned_at(const Study& study, PlanGranularity grain, double share,
                        std::int64_t moves = 20'000) {
  const Variant& baseline = *study.baseline;
  std::int64_t persistent = 0;
  for (const Buffer& each : baseline.timeline.buffers)
    persistent += each.persistent ? each.bytes : 0;
  const auto rest = static_cast<double>(baseline.timeline.peak_bytes - persistent);
  ParetoFront archive;
  const BudgetRequest request{persistent + static_cast<std::int64_t>(share * rest),
                              grain,
                              {0, grain == PlanGranularity::cluster ? moves / 100 : moves, 1}};
  return plan_for_budget(study, request, archive, Progress());
}

class Running {
 public:
  explicit Running(const Study& study)
      : inputs_(with_random_inputs(study.graph(), study.sizes->dims.bindings, {}, 1)),
        reference_(run(study, *study.baseline)) {}

  void expect_same(const Study& study) const {
    const NamedTensors outputs = run(study, *study.current);
    ASSERT_EQ(outputs.size(), reference_.size());
    for (const auto& [name, tensor] : reference_) {
      EXPECT_TRUE(testing_run::same_bits(outputs.at(name), tensor)) << name;
    }
  }

 private:
  NamedTensors run(const Study& study, const Variant& variant) const {
    RunResult result = testing_run::run_on_cpu(run_plan(study, variant), inputs_);
    EXPECT_EQ(result.measurement.live_bytes, variant.timeline.live_bytes);
    EXPECT_EQ(result.measurement.peak_bytes, variant.timeline.peak_bytes);
    return std::move(result.outputs);
  }

  NamedTensors inputs_;
  NamedTensors reference_;
};

/// Bounds that are proven for all plans must hold for this plan.
void expect_proofs_to_hold(const BudgetAnswer& answer) {
  constexpr double rounding = 1e-9;
  EXPECT_LE(answer.floor->bytes, answer.best.peak_bytes);
  if (!answer.feasible || !answer.least_extra_seconds) return;
  EXPECT_LE(*answer.least_extra_seconds, answer.best.extra_seconds + rounding);
}

/// Plans at every grain and runs the planned steps. Returns how many runs of nodes the plans added
/// in all.
std::size_t run_planned(const Study& study) {
  const Running running(study);
  std::size_t added = 0;
  for (const PlanGranularity grain :
       {PlanGranularity::cluster, PlanGranularity::node, PlanGranularity::sequence}) {
    for (const double share : {0.8, 0.55}) {
      SCOPED_TRACE(std::string(name_of(grain)) + " at " + std::to_string(share));
      const BudgetAnswer answer = planned_at(study, grain, share);
      expect_proofs_to_hold(answer);
      const auto with_plan = changed(study, answer.best.choices);
      EXPECT_EQ(with_plan->current->timeline.peak_bytes, answer.best.peak_bytes);
      EXPECT_NEAR(extra_seconds(*with_plan), answer.best.extra_seconds, 1e-9);
      running.expect_same(*with_plan);
      added += with_plan->current->dataflow.cloned_nodes.size();
    }
  }
  return added;
}

TEST(PlannedStep, MakesTheSameBitsInThePredictedMemory) {
  EXPECT_GT(run_planned(*deep_study()), 6U);
}

TEST(PlannedStep, DrawsTheSameMasksAgain) {
  test::ModelBuilder m;
  m.input("x", {"N", 16}).input("labels", {"N"}, ElementType::int64);
  std::string last = "x";
  for (const char* layer : {"a", "b", "c"}) {
    const std::string name = layer;
    m.weight(name + "_w", {16, 16}).weight("ratio_" + name, {}, {0.5F});
    m.constant("training_" + name, Tensor(ElementType::boolean, {}, std::string(1, '\1')));
    m.node("MatMul", {last, name + "_w"}, {name + "_h"});
    m.node("Dropout", {name + "_h", "ratio_" + name, "training_" + name}, {name + "_d"});
    m.node("Gelu", {name + "_d"}, {name + "_g"}, {}, "com.microsoft");
    last = name + "_g";
  }
  m.node("SoftmaxCrossEntropyLoss", {last, "labels"}, {"loss"});
  const auto study = study_of(m.output("loss").build(), with_dim("N", 64));
  const BudgetAnswer answer = planned_at(*study, PlanGranularity::sequence, 0.6);
  const auto with_plan = changed(*study, answer.best.choices);
  EXPECT_FALSE(with_plan->current->dataflow.seeded_nodes.empty());
  // Without the seed that clones copy, each run of the step would draw other masks.
  const NamedTensors inputs =
      with_random_inputs(study->graph(), study->sizes->dims.bindings, {}, 1);
  const auto run = [&] {
    return testing_run::run_on_cpu(run_plan(*with_plan, *with_plan->current), inputs).outputs;
  };
  const NamedTensors first = run();
  for (const auto& [name, tensor] : run())
    EXPECT_TRUE(testing_run::same_bits(tensor, first.at(name)));
}

TEST(PlannedStep, NeedsNoMoreThanItsTaskGraphSays) {
  const auto study = deep_study();
  const UpdateMemory update;
  const StepMemory memory{study->prepared->rules, study->sizes->bytes, update,
                          study->sizes->workspace};
  const StepTasks tasks =
      planning_tasks(*study->prepared, memory, Dataflow(study->graph()), study->times->seconds);
  const BudgetAnswer answer = planned_at(*study, PlanGranularity::sequence, 0.5);
  const std::vector<TaskId> sequence = sequence_of(tasks, *answer.best.choices.plans.sequence);
  EXPECT_GT(sequence.size(), tasks.graph.tasks());
  EXPECT_LE(answer.best.peak_bytes, memory_of(tasks.graph, sequence).peak_bytes);
}

TEST(PlannedStep, IsAModelWithANameForEachRun) {
  const auto study = deep_study();
  const auto planned =
      changed(*study, planned_at(*study, PlanGranularity::sequence, 0.4).best.choices);
  const Graph model = modified_graph(*planned);
  std::set<std::string> names;
  for (const Node& node : model.nodes()) EXPECT_TRUE(names.insert(node.name).second) << node.name;
  EXPECT_EQ(names.size(), planned->current->timeline.order.size());
  EXPECT_GT(names.size(), study->graph().nodes().size());
}

TEST(PlannedStep, SurvivesASession) {
  const auto study = deep_study();
  Session session;
  session.model = "/model.onnx";
  session.choices = planned_at(*study, PlanGranularity::node, 0.6).best.choices;
  ASSERT_TRUE(session.choices.plans.sequence);
  const Session loaded = parse_session(session_text(session, "/"), "/");
  EXPECT_EQ(loaded.choices, session.choices);
  EXPECT_EQ(changed(*study, loaded.choices)->current->timeline.peak_bytes,
            changed(*study, session.choices)->current->timeline.peak_bytes);
}

TEST(PlannedStep, IsLeftOutOfAnotherStepAndComesBack) {
  const auto study = deep_study();
  const Choices planned = planned_at(*study, PlanGranularity::node, 0.6).best.choices;
  Choices other = planned;
  other.graph.goal.frozen.push_back("layer.0.w");
  const auto without = changed(*study, other);
  EXPECT_EQ(without->current->dataflow.cloned_nodes.size(), 0U);
  EXPECT_EQ(without->order, "file");
  ASSERT_FALSE(without->warnings.empty());
  EXPECT_NE(without->warnings.front().find("another step"), std::string::npos);
  EXPECT_FALSE(changed(*without, planned)->current->dataflow.cloned_nodes.empty());
}

TEST(PlannedStep, RunsInOtherOrdersToo) {
  const auto study = deep_study();
  Choices choices = planned_at(*study, PlanGranularity::node, 0.6).best.choices;
  const auto planned = changed(*study, choices);
  EXPECT_EQ(order_rows(*planned).front().name, planned_order);
  EXPECT_EQ(order_rows(*planned).front().peak_bytes, planned->current->timeline.peak_bytes);
  choices.order.strategy = "reference";
  const auto other = changed(*planned, choices);
  EXPECT_EQ(other->current->dataflow.cloned_nodes, planned->current->dataflow.cloned_nodes);
  Running(*study).expect_same(*other);
}

TEST(PlannedStep, RefusesSequencesThatCannotRun) {
  const auto study = deep_study();
  Choices choices = planned_at(*study, PlanGranularity::node, 0.6).best.choices;
  const auto refused = [&] {
    return test::refusal(ErrorKind::input, [&] { changed(*study, choices); });
  };
  const std::vector<std::uint32_t> runs = choices.plans.sequence->runs;
  choices.plans.sequence->runs.push_back(1'000'000);
  EXPECT_NE(refused().find("1000000"), std::string::npos);
  choices.plans.sequence->runs = {runs.rbegin(), runs.rend()};
  EXPECT_NE(refused().find("the planned sequence"), std::string::npos);
  choices.plans.sequence->runs = {runs.front()};
  EXPECT_NE(refused().find("the planned sequence"), std::string::npos);
}

TEST(PlannedStep, GoesWhenPlansAreTicked) {
  const auto study = deep_study();
  const auto planned = changed(*study, planned_at(*study, PlanGranularity::node, 0.6).best.choices);
  Choices choices = planned->choices;
  forget_planned(choices);
  EXPECT_FALSE(choices.plans.sequence);
  EXPECT_EQ(choices.order.strategy, "file");
}

class PlannedModel : public testing::TestWithParam<std::string> {};

/// Enough samples for activations to count beside the gradients, which must stay.
Choices with_many_samples(const Graph& model) {
  const Shape& shape = *model.value(model.data().inputs.front()).type.shape;
  return with_dim(to_string(shape.front(), model.symbols()), 64);
}

TEST_P(PlannedModel, MakesTheSameBitsInThePredictedMemory) {
  const fs::path file = fs::path(STASHSCOPE_SHARED "/models/small") / GetParam() / "model.onnx";
  if (!fs::exists(file)) GTEST_SKIP() << file << " is not there";
  const Graph model = load_model(file);
  const bool is_small = model.nodes().size() < 20;
  const Choices choices = is_small ? with_many_samples(model) : Choices();
  EXPECT_GT(run_planned(*study_of(model, choices)), 0U);
}

INSTANTIATE_TEST_SUITE_P(Small, PlannedModel,
                         testing::ValuesIn(test::thinned(std::vector<std::string>{
                             "bert_tiny", "bloom_tiny_3layer", "convnext_small", "gpt2_tiny",
                             "lenet", "llama_tiny_gqa", "llama_tiny_mha", "mlp_gelu", "mlp_relu",
                             "mobilenet_v2_w025", "resnet18_div8", "resnet50_div8",
                             "unet_small_bilinear", "vit_tiny"})),
                         [](const auto& info) { return info.param; });

}  // namespace planned_step_test
}  // namespace stashscope
