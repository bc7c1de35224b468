// Steps in micro-batches: what is split, how losses are scaled, and where gradients are added up.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/graph/micro_batches.h"
#include "core/passes/training_step.h"
#include "core/passes/what_if/micro_batches.h"
#include "tests/support/model_builder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace micro_test {

using test::ModelBuilder;

TrainingStep step_of(const ModelBuilder& model, const std::string& count,
                     const TrainingGoal& goal = {}) {
  PassSelection passes;
  add_what_if("micro=" + count, passes.what_ifs);
  return prepare_training_step(model.build(), goal, passes);
}

const Node* node_of(const Graph& graph, const std::string& op_type) {
  const auto found = std::ranges::find(graph.nodes(), op_type, &Node::op_type);
  return found == graph.nodes().end() ? nullptr : &*found;
}

std::string shape_of(const Graph& graph, const std::string& name) {
  std::string text;
  for (const Expr& dim : *graph.value(graph.find_value(name).value()).type.shape) {
    text += (text.empty() ? "" : ", ") + to_string(dim, graph.symbols());
  }
  return text;
}

/// x[N, 4] -> rows[N], which `reduce` turns into the output `loss`.
ModelBuilder rows() {
  ModelBuilder m;
  m.input("x", {"N", 4}).weight("w", {4}).node("MatMul", {"x", "w"}, {"rows"});
  return m;
}

std::size_t scales(const Graph& graph) {
  return static_cast<std::size_t>(std::ranges::count_if(graph.nodes(), [](const Node& node) {
    return node.op_type == "Mul" && node.name.ends_with("/micro_batch");
  }));
}

bool mentions(const std::vector<std::string>& notes, const std::string& text) {
  return std::ranges::any_of(
      notes, [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

TEST(MicroBatches, SplitEveryInputOfTheBatchAndKeepSizesOfTheWholeBatch) {
  const TrainingStep step = step_of(test::perceptron(), "4");
  ASSERT_EQ(step.what_ifs.size(), 1U);
  EXPECT_EQ(step.what_ifs[0].found, 2U) << "x and labels";
  EXPECT_TRUE(step.what_ifs[0].stopped_by.empty());
  EXPECT_EQ(shape_of(*step.graph, "x"), "N/4, 4");
  EXPECT_EQ(shape_of(*step.graph, "scores"), "N/4, 3");
  EXPECT_EQ(shape_of(*step.graph, "w1"), "4, 8");
  EXPECT_EQ(runs_in_step(*step.graph), 4);
}

TEST(MicroBatches, AddEachGradientToABufferRightAfterItsNode) {
  const TrainingStep step = step_of(test::perceptron(), "2");
  const Graph& graph = *step.graph;
  const MicroBatches& split = *graph.data().micro_batches;
  ASSERT_EQ(split.sums.size(), 3U);
  for (const GradientSum& sum : split.sums) {
    EXPECT_TRUE(graph.is_graph_input(sum.buffer));
    EXPECT_EQ(graph.value(sum.buffer).type, graph.value(sum.parameter).type);
    const NodeId reader = graph.topology().readers[sum.buffer][0];
    EXPECT_EQ(graph.node(reader).op_type, "InPlaceAccumulator");
    EXPECT_EQ(reader.index(), graph.value(sum.gradient).producer.index() + 1);
  }
  for (const Parameter& each : step.parameters) {
    EXPECT_EQ(graph.value(each.gradient).name, graph.value(each.value).name + "_grad");
    EXPECT_TRUE(graph.is_graph_output(each.gradient));
  }
  EXPECT_TRUE(step.boundary.yield.valid());
  EXPECT_EQ(graph.node(step.boundary.yield).op_type, "YieldOp");
}

TEST(MicroBatches, AreOffWithOneMicroBatch) {
  const TrainingStep step = step_of(test::perceptron(), "1");
  EXPECT_EQ(step.what_ifs[0].found, 2U);
  EXPECT_EQ(step.what_ifs[0].changed, 0U);
  EXPECT_EQ(step.graph->data().micro_batches, nullptr);
  EXPECT_EQ(shape_of(*step.graph, "x"), "N, 4");
}

TEST(MicroBatches, ScaleAMeanAndKeepASum) {
  EXPECT_EQ(
      scales(*step_of(rows().node("ReduceMean", {"rows"}, {"loss"}).output("loss"), "2").graph),
      1U);
  EXPECT_EQ(
      scales(*step_of(rows().node("ReduceSum", {"rows"}, {"loss"}).output("loss"), "2").graph), 0U);
  ModelBuilder passed_on = rows();
  passed_on.weight("half", {}, {0.5F}).node("ReduceSum", {"rows"}, {"s"});
  passed_on.node("Mul", {"half", "s"}, {"h"}).node("Neg", {"h"}, {"loss"}).output("loss");
  EXPECT_EQ(scales(*step_of(passed_on, "2", {"", {}, {"half"}}).graph), 0U);
}

TEST(MicroBatches, ScaleInASumOnlyTheTermsThatAreNoSums) {
  ModelBuilder m = rows();
  m.node("ReduceSum", {"rows"}, {"s"}).node("ReduceSumSquare", {"w"}, {"decay"});
  m.node("Add", {"s", "decay"}, {"loss"}).output("loss");
  const TrainingStep step = step_of(m, "2");
  ASSERT_EQ(scales(*step.graph), 1U);
  const Node* const scale = node_of(*step.graph, "Mul");
  EXPECT_EQ(step.graph->value(scale->inputs[0]).name, "decay");
  EXPECT_FALSE(mentions(step.warnings, "not recognized"));
}

TEST(MicroBatches, TakeALossOfUnknownKindForAMeanAndSaySo) {
  ModelBuilder m = rows();
  m.node("ReduceMax", {"rows"}, {"loss"}).output("loss");
  const TrainingStep step = step_of(m, "2");
  EXPECT_EQ(scales(*step.graph), 1U);
  EXPECT_TRUE(mentions(step.warnings, "not recognized as a mean or a sum"));
}

TEST(MicroBatches, SayThatIgnoredLabelsChangeTheMean) {
  ModelBuilder m;
  m.input("x", {"N", 4}).input("labels", {"N"}, ElementType::int64).weight("w", {4, 3});
  m.node("MatMul", {"x", "w"}, {"scores"});
  m.node("SoftmaxCrossEntropyLoss", {"scores", "labels"}, {"loss"},
         {{"ignore_index", std::int64_t{-100}}});
  m.output("loss");
  EXPECT_TRUE(mentions(step_of(m, "2").warnings, "labels that are not ignored"));
  EXPECT_FALSE(mentions(step_of(test::perceptron(), "2").warnings, "labels"));
}

TEST(MicroBatches, SayThatStatisticsAreThoseOfTheMicroBatch) {
  ModelBuilder m;
  m.input("x", {"N", 4, 8, 8}).weight("s", {4}).weight("b", {4}).weight("mean", {4});
  m.weight("var", {4});
  m.node("BatchNormalization", {"x", "s", "b", "mean", "var"}, {"y", "m2", "v2"},
         {{"training_mode", std::int64_t{1}}});
  m.node("ReduceMean", {"y"}, {"loss"}, {{"keepdims", std::int64_t{0}}}).output("loss");
  EXPECT_TRUE(mentions(step_of(m, "2").warnings, "1 batch normalization uses the statistics"));
}

/// The only stop of a model that cannot be split.
WhatIfStop stop_of(const ModelBuilder& model) {
  const TrainingStep step = step_of(model, "2");
  EXPECT_EQ(step.graph->data().micro_batches, nullptr);
  EXPECT_EQ(step.what_ifs.at(0).changed, 0U);
  if (step.what_ifs[0].stopped_by.size() != 1) return {};
  return step.what_ifs[0].stopped_by[0];
}

TEST(MicroBatches, AreStoppedByAFixedBatch) {
  ModelBuilder m;
  m.input("x", {8, 4}).weight("w", {4}).node("MatMul", {"x", "w"}, {"rows"});
  m.node("ReduceMean", {"rows"}, {"loss"}).output("loss");
  const WhatIfStop stop = stop_of(m);
  EXPECT_EQ(stop.node, "tensor 'x'");
  EXPECT_NE(stop.reason.find("the first axis 8"), std::string::npos) << stop.reason;
}

TEST(MicroBatches, AreStoppedByABatchInAnotherAxis) {
  ModelBuilder m = rows();
  m.input("mask", {4, "N"}).node("ReduceSum", {"mask"}, {"bias"});
  m.node("ReduceMean", {"rows"}, {"l"}).node("Add", {"l", "bias"}, {"loss"}).output("loss");
  EXPECT_EQ(stop_of(m).node, "tensor 'mask'");
}

TEST(MicroBatches, AreStoppedByTwoDimensionsOfWhichNoneIsNamedBatch) {
  ModelBuilder m;
  m.input("x", {"P", 4}).input("z", {"Q", 4}).weight("w", {4});
  m.node("MatMul", {"x", "w"}, {"a"}).node("MatMul", {"z", "w"}, {"b"});
  m.node("ReduceMean", {"a"}, {"la"}).node("ReduceMean", {"b"}, {"lb"});
  m.node("Add", {"la", "lb"}, {"loss"}).output("loss");
  EXPECT_NE(stop_of(m).reason.find("'P' and 'Q'"), std::string::npos);
}

TEST(MicroBatches, SplitTheDimensionThatIsNamedBatch) {
  ModelBuilder m;
  m.input("x", {"batch_size", 4}).input("positions", {"S"}, ElementType::int64).weight("w", {4});
  m.node("MatMul", {"x", "w"}, {"a"}).node("Cast", {"positions"}, {"p"}, {{"to", std::int64_t{1}}});
  m.node("ReduceMean", {"a"}, {"la"}).node("ReduceSum", {"p"}, {"lp"});
  m.node("Add", {"la", "lp"}, {"loss"}).output("loss");
  EXPECT_EQ(step_of(m, "2").what_ifs[0].found, 1U);
}

TEST(MicroBatches, AreANumber) {
  for (const char* wrong : {"", "0", "-2", "two", "2.5", "5000", "99999999999999999999"}) {
    WhatIfChoices choices;
    const std::string text = std::string("micro=") + wrong;
    EXPECT_NE(test::refusal(ErrorKind::usage, [&] { add_what_if(text, choices); }), "accepted")
        << wrong;
  }
  EXPECT_EQ(micro_batch_count("08"), "8");
}

}  // namespace micro_test
}  // namespace stashscope
