// Strategies that ONNX Runtime does not have: tensors are evicted and restored.

#include "core/recompute/strategy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/onnx/model_file.h"
#include "core/passes/training_step.h"
#include "core/recompute/apply.h"
#include "core/schedule/orders/orders.h"
#include "core/study/step/step_export.h"
#include "tests/support/model_builder.h"
#include "tests/support/passed.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace strategies_test {

std::shared_ptr<const Study> study_of(const test::ModelBuilder& model, const Choices& choices) {
  return compute_study(std::make_shared<const Graph>(model.build()), choices, nullptr, {});
}

Choices with_plans(const std::string& config) {
  Choices choices;
  choices.dims["N"] = 64;
  choices.plans.config = parse_config(config);
  return choices;
}

/// Number of nodes of a kind in the current variant.
std::size_t count_of(const Study& study, AddedKind kind) {
  const auto& kinds = study.current->dataflow.kinds;
  return static_cast<std::size_t>(std::count(kinds.begin(), kinds.end(), kind));
}

std::size_t step_of(const Study& study, AddedKind kind) {
  const Variant& variant = *study.current;
  for (std::size_t step = 0; step < variant.timeline.order.size(); ++step) {
    const NodeId node = variant.timeline.order[step];
    if (variant.dataflow.is_clone(node) && variant.dataflow.kind(node) == kind) return step;
  }
  return variant.timeline.order.size();
}

TEST(Offload, FreesTheTensorBetweenItsLastForwardAndItsFirstBackwardUse) {
  const auto study = study_of(test::deep_perceptron(6, 64), with_plans("MatMul:3:1"));
  ASSERT_EQ(count_of(*study, AddedKind::offload), 1U);
  ASSERT_EQ(count_of(*study, AddedKind::fetch), 1U);
  const ValueId tensor = test::id_of(study->graph(), "layer.0.h");
  const Timeline& timeline = study->current->timeline;
  const Buffer& held = timeline.buffers[timeline.buffer_of[tensor]];
  const std::size_t away = step_of(*study, AddedKind::offload);
  EXPECT_EQ(held.last_slot, away);
  // One Gelu reads the tensor in forward; the eviction comes directly after it.
  const NodeId gelu = study->graph().find_node("make_layer.0.g").value();
  EXPECT_EQ(timeline.order[away - 1], gelu);
  const std::size_t back = step_of(*study, AddedKind::fetch);
  const NodeId reader = timeline.order[back + 1];
  EXPECT_EQ(study->graph().node(study->current->dataflow.origin(reader)).op_type, "GeluGrad");
  EXPECT_LT(timeline.peak_bytes, study->baseline->timeline.peak_bytes);
}

TEST(Offload, CostsTheBytesOverTheLinkBothWays) {
  Choices choices = with_plans("MatMul:3:1");
  choices.times.transfer_bandwidth = 1e6;
  const auto study = study_of(test::deep_perceptron(6, 64), choices);
  const std::int64_t bytes = std::int64_t{64} * 64 * 4;
  EXPECT_EQ(study->current->transfer_bytes, 2 * bytes);
  EXPECT_DOUBLE_EQ(transfer_seconds(*study, *study->current), 2.0 * bytes / 1e6);
  EXPECT_DOUBLE_EQ(study->current->flops, study->baseline->flops);
}

TEST(Compress, KeepsHalfTheBytesAndIsMarkedLossy) {
  const auto study = study_of(test::deep_perceptron(6, 64), with_plans("MatMul:4:-1"));
  const auto& rows = study->plan_table->extensions;
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [](const PlanRow& each) { return each.config == "MatMul:4:-1"; });
  ASSERT_NE(row, rows.end());
  EXPECT_TRUE(row->on);
  EXPECT_TRUE(strategy_of(row->type).lossy);
  EXPECT_EQ(row->saving_bytes, 6 * 64 * 64 * 4 / 2);
  const Dataflow& dataflow = study->current->dataflow;
  for (const ValueId value : IdRange<ValueId>(dataflow.topology.values())) {
    if (dataflow.form(value).element != ElementType::float16) continue;
    const Timeline& timeline = study->current->timeline;
    EXPECT_EQ(timeline.buffers[timeline.buffer_of[value]].bytes, 64 * 64 * 2);
  }
}

TEST(Compress, TakesEightBitsOnlyWhereGradientsTolerateThem) {
  Choices choices = with_plans("");
  choices.plans.search.compressed = ElementType::float8e4m3fn;
  const auto study = study_of(test::deep_perceptron(3, 64), choices);
  std::vector<std::string> configs;
  for (const PlanRow& row : study->plan_table->extensions) {
    if (row.type == PlanType::compress) configs.push_back(row.config);
  }
  // GeluGrad reads the MatMul's output; the gradients of weights read Gelu's output.
  EXPECT_EQ(configs, std::vector<std::string>{"MatMul:4:-1"});
}

TEST(Extensions, AreNeverPartOfALevelOrOfTheReferencesTable) {
  Choices choices;
  choices.plans.level = 2;
  const auto study = study_of(test::deep_perceptron(6, 64), choices);
  EXPECT_FALSE(study->plan_table->extensions.empty());
  for (const PlanRow& row : study->plan_table->extensions) EXPECT_FALSE(row.on) << row.config;
  for (const PlanRow& row : study->plan_table->plans)
    EXPECT_TRUE(in_reference(row.type)) << row.config;
}

TEST(Extensions, KeepWhatTheStepReturns) {
  test::ModelBuilder model = test::deep_perceptron(2, 8);
  model.output("layer.0.h");
  Choices choices;
  choices.graph.goal.loss = "loss";
  const auto study = study_of(model, choices);
  for (const NodePlan& plan : study->opportunities->extensions) {
    const ValueId tensor = study->graph().node(plan.node).outputs[plan.outputs[0]];
    EXPECT_NE(study->graph().value(tensor).name, "layer.0.h");
  }
}

/// x -> h -> view of h -> Gelu: backward reads the view, which shares h's memory.
test::ModelBuilder model_with_view() {
  test::ModelBuilder m;
  m.input("x", {"N", 8}).input("labels", {"N"}, ElementType::int64);
  m.weight("w", {8, 8}).int64s("dims", {-1, 8});
  m.node("MatMul", {"x", "w"}, {"h"}).node("Reshape", {"h", "dims"}, {"view"});
  m.node("Gelu", {"view"}, {"g"}, {}, "com.microsoft");
  m.node("MatMul", {"g", "w"}, {"scores"});
  m.node("SoftmaxCrossEntropyLoss", {"scores", "labels"}, {"loss"});
  return m.output("loss");
}

TEST(Offload, TakesTheWholeBufferOfAView) {
  const auto study = study_of(model_with_view(), with_plans("MatMul:3:1"));
  const Dataflow& dataflow = study->current->dataflow;
  const NodeId view = study->graph().find_node("make_view").value();
  EXPECT_NE(std::find(dataflow.cloned_nodes.begin(), dataflow.cloned_nodes.end(), view),
            dataflow.cloned_nodes.end());
  const Timeline& timeline = study->current->timeline;
  const ValueId tensor = test::id_of(study->graph(), "h");
  EXPECT_EQ(timeline.buffers[timeline.buffer_of[tensor]].last_slot,
            step_of(*study, AddedKind::offload));
}

/// Layers that split a product's result; backward reads every part.
test::ModelBuilder model_with_splits(int layers) {
  test::ModelBuilder m;
  m.input("x", {"N", 12}).input("labels", {"N"}, ElementType::int64);
  std::string last = "x";
  for (int i = 0; i < layers; ++i) {
    const std::string layer = "l" + std::to_string(i) + ".";
    m.weight(layer + "w", {12, 12}).int64s(layer + "sizes", {4, 4, 4});
    m.node("MatMul", {last, layer + "w"}, {layer + "h"});
    m.node("Split", {layer + "h", layer + "sizes"}, {layer + "a", layer + "b", layer + "c"},
           {{"axis", std::int64_t{1}}});
    std::vector<std::string> parts;
    for (const char* part : {"a", "b", "c"}) {
      parts.push_back(layer + part + ".g");
      m.node("Gelu", {layer + part}, {parts.back()}, {}, "com.microsoft");
    }
    m.node("Concat", parts, {layer + "y"}, {{"axis", std::int64_t{1}}});
    last = layer + "y";
  }
  m.node("SoftmaxCrossEntropyLoss", {last, "labels"}, {"loss"});
  return m.output("loss");
}

const PlanRow& extension_of(const Study& study, const std::string& config) {
  const auto row =
      std::find_if(study.plan_table->extensions.begin(), study.plan_table->extensions.end(),
                   [&](const PlanRow& each) { return each.config == config; });
  if (row == study.plan_table->extensions.end()) throw std::runtime_error("no row " + config);
  return *row;
}

TEST(Eviction, TakesEveryOutputOfANode) {
  for (const std::string config : {"Split:3:-1", "Split:4:-1"}) {
    const auto study = study_of(model_with_splits(2), with_plans(config));
    const PlanRow& row = extension_of(*study, config);
    EXPECT_EQ(row.frequency, 6);
    EXPECT_EQ(row.applied, 6);
    EXPECT_EQ(study->current->dataflow.cloned_nodes.size(), 12U);
    EXPECT_EQ(study->current->transfer_bytes, row.cost.transfer_bytes);
    EXPECT_DOUBLE_EQ(study->current->flops - study->baseline->flops, row.cost.flops);
  }
  const auto study = study_of(model_with_splits(2), with_plans("Split:3:-1"));
  EXPECT_EQ(study->current->transfer_bytes, 2 * extension_of(*study, "Split:3:-1").saving_bytes);
  std::set<std::string> names;
  const Graph modified = modified_graph(*study);
  for (const Node& node : modified.nodes())
    EXPECT_TRUE(names.insert(node.name).second) << node.name;
}

TEST(Eviction, ACountIsOfTensors) {
  const auto study = study_of(model_with_splits(2), with_plans("Split:3:4"));
  EXPECT_EQ(count_of(*study, AddedKind::offload), 4U);
}

/// Number of restored tensors without readers.
std::size_t unread(const Dataflow& dataflow) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < dataflow.cloned_nodes.size(); ++i) {
    const NodeId node(dataflow.graph_nodes + i);
    if (dataflow.runs_origin(node) || evicts(dataflow.kind(node))) continue;
    const ValueId brought = dataflow.topology.outputs[node][0];
    count += dataflow.topology.readers[brought].empty() ? 1U : 0U;
  }
  return count;
}

TEST(Eviction, FetchesNothingThatIsRecomputed) {
  for (const char* name : {"gpt2_tiny", "mlp_gelu"}) {
    const auto model = std::make_shared<const Graph>(
        load_model(std::string(STASHSCOPE_SAMPLES "/") + name + ".onnx"));
    for (const bool with_passes : {false, true}) {
      Choices choices;
      if (with_passes) add_passes("all", choices);
      for (const PlanType type : {PlanType::offload, PlanType::compress}) {
        choices.plans.level = 0;
        choices.plans.config.clear();
        const auto plain = compute_study(model, choices, nullptr, {});
        for (const PlanRow& row : plain->plan_table->extensions) {
          if (row.type == type) choices.plans.config.insert(row.entries.begin(), row.entries.end());
        }
        for (const int level : {0, 1, 2}) {
          choices.plans.level = level;
          const auto study = compute_study(model, choices, nullptr, {});
          const std::size_t applied = study->applied.size();
          EXPECT_GT(applied, 0U);
          EXPECT_EQ(unread(study->current->dataflow), 0U) << name << with_passes << level;
        }
      }
    }
  }
}

/// Backward reads the view of h but not h; both are cheap to recompute.
test::ModelBuilder model_with_cheap_view() {
  test::ModelBuilder m;
  m.input("x", {"N", 8}).input("labels", {"N"}, ElementType::int64);
  m.weight("w", {8, 8}).weight("b", {8}).int64s("dims", {-1, 8});
  m.node("MatMul", {"x", "w"}, {"p"}).node("Add", {"p", "b"}, {"h"});
  m.node("Reshape", {"h", "dims"}, {"view"});
  m.node("Gelu", {"view"}, {"g"}, {}, "com.microsoft");
  m.node("MatMul", {"g", "w"}, {"scores"});
  m.node("SoftmaxCrossEntropyLoss", {"scores", "labels"}, {"loss"});
  return m.output("loss");
}

TEST(Eviction, YieldsToAPlanThatMakesItsViewAgain) {
  Choices choices = with_plans("Add:3:-1");
  choices.plans.level = 1;
  choices.plans.search = RecomputeSearchOptions(1, false);
  const auto study = study_of(model_with_cheap_view(), choices);
  ASSERT_TRUE(study->config.contains("MatMul+Add+Reshape+")) << to_string(study->config);
  EXPECT_EQ(count_of(*study, AddedKind::offload), 0U);
  EXPECT_EQ(extension_of(*study, "Add:3:-1").applied, 0);
  EXPECT_EQ(study->current->transfer_bytes, 0);
  EXPECT_TRUE(std::any_of(study->warnings.begin(), study->warnings.end(), [](const auto& each) {
    return each.find("'Add:3:-1' is on but changes nothing") != std::string::npos;
  }));
}

TEST(Eviction, LeavesOutOperatorsThatAConfigCannotName) {
  const auto plans_with = [](const std::string& op_type) {
    test::ModelBuilder m;
    m.input("x", {"N", 8}).input("labels", {"N"}, ElementType::int64).weight("w", {8, 8});
    m.node(op_type, {"x"}, {"h"}, {}, "own").declare("h", {"N", 8});
    m.node("MatMul", {"h", "w"}, {"scores"});
    m.node("SoftmaxCrossEntropyLoss", {"scores", "labels"}, {"loss"});
    return study_of(m.output("loss"), with_plans(""))->plan_table->extensions;
  };
  const auto names = [](const std::vector<PlanRow>& rows, const std::string& op_type) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const PlanRow& row) { return row.config.starts_with(op_type + ":"); });
  };
  EXPECT_TRUE(names(plans_with("Mine"), "Mine"));
  for (const std::string unnamed : {"My,Own:Op", "Mine+", "My:Own"}) {
    EXPECT_FALSE(names(plans_with(unnamed), unnamed)) << unnamed;
  }
}

TEST(ModifiedGraph, SaysInOperatorsWhatWasEvicted) {
  const auto study = study_of(test::deep_perceptron(2, 8), with_plans("MatMul:3:1,Gelu:4:1"));
  std::vector<std::string> types;
  const Graph modified = modified_graph(*study);
  for (const Node& node : modified.nodes()) {
    const bool is_transfer = node.op_type.starts_with("Memcpy") || node.op_type == "Cast";
    if (is_transfer) types.push_back(node.op_type);
  }
  EXPECT_EQ(types, (std::vector<std::string>{"MemcpyToHost", "Cast", "Cast", "MemcpyFromHost"}));
  // The re-imported model has the same memory.
  const auto again =
      compute_study(std::make_shared<const Graph>(modified), with_plans(""), nullptr, {});
  EXPECT_EQ(again->baseline->timeline.peak_bytes, study->current->timeline.peak_bytes);
}

TEST(ModifiedGraph, IsNotWrittenWithCastsThatItsOpsetDoesNotKnow) {
  Choices choices = with_plans("MatMul:4:1");
  choices.plans.search.compressed = ElementType::float8e5m2;
  const auto study = study_of(test::deep_perceptron(2, 8), choices);
  ASSERT_EQ(count_of(*study, AddedKind::compress), 1U);
  const std::string text = test::refusal(ErrorKind::usage, [&] { modified_graph(*study); });
  for (const char* part : {"float8e5m2", "opset 17", "opset 19"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

/// Copies between device and host cast nothing, so they need no opset.
TEST(ModifiedGraph, IsWrittenWithOffloadsOfAnyType) {
  test::ModelBuilder m(11);
  m.input("x", {"N", 8}, ElementType::bfloat16);
  m.constant("w", Tensor::of_integers(ElementType::bfloat16, {8, 8}, Integers(64, 1)));
  m.node("MatMul", {"x", "w"}, {"h"}).node("Mul", {"h", "h"}, {"s"});
  m.node("ReduceSum", {"s"}, {"loss"}, {{"keepdims", std::int64_t{0}}}).output("loss");
  const auto study = study_of(m, with_plans("MatMul:3:1"));
  ASSERT_EQ(count_of(*study, AddedKind::offload), 1U);
  EXPECT_EQ(test::count(modified_graph(*study), "MemcpyToHost"), 1U);
}

}  // namespace strategies_test
}  // namespace stashscope
