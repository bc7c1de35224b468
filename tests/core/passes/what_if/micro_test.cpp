// Steps in micro-batches: what is split, how losses are scaled, and where gradients are added up.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/graph/micro_batches.h"
#include "core/passes/training_step.h"
#include "core/passes/what_if/micro_batches.h"
#include "core/passes/what_if/micro_checks.h"
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

TEST(MicroBatches, AreStoppedByAFirstAxisThatIsNotNamedForSamples) {
  for (const char* const second : {"batch", "width"}) {
    ModelBuilder m;
    m.input("x", {"seq", second, 4}).weight("w", {4}).node("MatMul", {"x", "w"}, {"a"});
    m.node("ReduceMean", {"a"}, {"loss"}).output("loss");
    EXPECT_NE(stop_of(m).reason.find("'seq'"), std::string::npos);
  }
  ModelBuilder m;
  m.input("x", {"P", "batch"}).weight("w", {4}).node("ReduceMean", {"x"}, {"a"});
  m.node("Mul", {"a", "w"}, {"b"}).node("ReduceMean", {"b"}, {"loss"}).output("loss");
  EXPECT_NE(stop_of(m).reason.find("'batch' is another axis"), std::string::npos);
}

TEST(MicroBatches, SayWhichDimensionWithoutSuchANameIsTaken) {
  for (const char* const name : {"P", "tokens_dim0", "s17"}) {
    ModelBuilder m;
    m.input("x", {name, 4}).weight("w", {4}).node("MatMul", {"x", "w"}, {"a"});
    m.node("ReduceMean", {"a"}, {"loss"}).output("loss");
    const TrainingStep step = step_of(m, "2");
    EXPECT_TRUE(mentions(step.warnings, std::string("'") + name + "' is taken for the batch"));
  }
  EXPECT_FALSE(mentions(step_of(test::perceptron(), "2").warnings, "is taken for the batch"));
}

TEST(MicroBatches, AreStoppedBySamplesThatMeetEachOther) {
  ModelBuilder m;
  m.input("x", {"N", 4}).weight("w", {4, 4}).node("MatMul", {"x", "w"}, {"a"});
  m.node("Transpose", {"a"}, {"t"}).node("MatMul", {"a", "t"}, {"scores"});
  m.node("ReduceMean", {"scores"}, {"loss"}).output("loss");
  EXPECT_EQ(stop_of(m).node, "tensor 'scores'");
}

TEST(MicroBatches, SayThatSamplesAreCombined) {
  ModelBuilder centered = rows();
  centered.node("ReduceMean", {"rows"}, {"mean"}, {{"keepdims", std::int64_t{0}}});
  centered.node("Sub", {"rows", "mean"}, {"c"}).node("ReduceSumSquare", {"c"}, {"loss"});
  EXPECT_TRUE(mentions(step_of(centered.output("loss"), "2").warnings, "1 node computes results"));
  ModelBuilder along = rows();
  along.node("Softmax", {"rows"}, {"p"}, {{"axis", std::int64_t{0}}});
  along.node("ReduceSumSquare", {"p"}, {"loss"}).output("loss");
  EXPECT_TRUE(mentions(step_of(along, "2").warnings, "1 node computes results"));
  EXPECT_FALSE(mentions(step_of(test::perceptron(), "2").warnings, "results of each sample"));
}

TEST(MicroBatches, KeepAnOutputWithSamplesAsItIsWithoutALoss) {
  EXPECT_EQ(scales(*step_of(rows().output("rows"), "2").graph), 0U);
}

TEST(MicroBatches, ScaleALongSumOfLossesInLittleTime) {
  ModelBuilder m = rows();
  std::string last;
  for (int i = 0; i < 60; ++i) {
    const std::string number = std::to_string(i);
    const char* const reduction = i % 2 == 0 ? "ReduceMean" : "ReduceSum";
    m.node(reduction, {"rows"}, {"l" + number}, {{"keepdims", std::int64_t{0}}});
    if (i > 0) m.node("Add", {last, "l" + number}, {"a" + number});
    last = (i > 0 ? "a" : "l") + number;
  }
  EXPECT_EQ(scales(*step_of(m.output(last), "2").graph), 30U);
}

TEST(MicroBatches, AddUpOtherOutputsThatAreMeansAndLeaveOutTheRest) {
  ModelBuilder m = rows();
  const Attributes whole = {{"keepdims", std::int64_t{0}}};
  m.node("ReduceMean", {"rows"}, {"mean"}, whole).node("ReduceMax", {"rows"}, {"most"}, whole);
  m.node("ReduceSumSquare", {"rows"}, {"loss"}, whole);
  const TrainingStep step =
      step_of(m.output("loss").output("mean").output("most"), "2", TrainingGoal{"loss", {}, {}});
  const Graph& graph = *step.graph;
  EXPECT_EQ(graph.data().micro_batches->losses.size(), 2U);
  EXPECT_EQ(scales(graph), 1U);
  EXPECT_TRUE(graph.is_graph_output(graph.find_value("mean").value()));
  EXPECT_FALSE(graph.is_graph_output(graph.find_value("most").value()));
  EXPECT_TRUE(mentions(step.warnings, "'most' is left out"));
}

TEST(MicroBatches, SayThatALossInPiecesHasWeightsOnlyIfItHas) {
  for (const bool has_weights : {false, true}) {
    ModelBuilder m;
    m.input("x", {"N", 4}).input("labels", {"N"}, ElementType::int64).weight("w", {4, 3});
    m.weight("c", {3});
    m.node("LinearCrossEntropyLoss", {"x", "w", "labels", "", has_weights ? "c" : ""}, {"loss"}, {},
           "com.microsoft");
    EXPECT_EQ(mentions(step_of(m.output("loss"), "2").warnings, "have weights"), has_weights);
  }
}

TEST(MicroBatches, SayThatAnInternalLossIgnoresALabel) {
  ModelBuilder m;
  m.input("x", {"N", 4}).input("labels", {"N"}, ElementType::int64).weight("w", {4, 3});
  m.int64s("ignored", {-100}).node("MatMul", {"x", "w"}, {"scores"});
  m.node("SoftmaxCrossEntropyLossInternal", {"scores", "labels", "", "ignored"}, {"loss", "p"}, {},
         "com.microsoft");
  EXPECT_TRUE(mentions(step_of(m.output("loss"), "2").warnings, "labels that are not ignored"));
}

TEST(MicroBatches, SayNothingOfANodeWithoutItsFirstInput) {
  ModelBuilder m;
  m.input("x", {"N", 4}).input("go", {}, ElementType::boolean);
  m.node("Loop", {"", "go", "x"}, {"y"}).declare("y", {"N", 4}).output("y");
  const Graph model = m.build();
  const SymbolId batch = model.symbols().find("N").value();
  EXPECT_TRUE(combined_sample_notes(model, {test::id_of(model, "x")}, batch).empty());
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
