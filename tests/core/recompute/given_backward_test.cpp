// A training step without a YieldOp gives the same opportunities as the same step with one.
//
// The test compares the names of the stashed values, and the plans by entry, type and cluster. The
// twin of a step in plain operators is the same step with a YieldOp inserted between its loss and
// the seed of its gradients. Differentiating the forward model again would give other stashed
// values.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/graph/reference_order.h"
#include "core/onnx/model_file.h"
#include "core/ops/families/standard_ops.h"
#include "core/passes/training_step.h"
#include "core/recompute/apply.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace given_backward_test {

using test::ModelBuilder;
namespace fs = std::filesystem;

const fs::path models = STASHSCOPE_SHARED "/models";

struct Analysis {
  explicit Analysis(const Graph& model) : step(prepare_training_step(model, {})) {
    const Graph& graph = *step.graph;
    const auto ops = resolve_ops(graph);
    found = find_opportunities(graph, ops, step.boundary, {1, false});
    for (const ValueId id : found.stashed) {
      // Whether a Shape runs before or behind the boundary is of no consequence.
      if (!runs_first(graph.node(graph.value(id).producer))) stashed.insert(graph.value(id).name);
    }
    for (const NodePlan& plan : found.plans) {
      plans.insert(graph.node(plan.node).name + " " + to_string(plan.cluster, {plan.type, -1}));
    }
  }

  TrainingStep step;
  Opportunities found;
  std::set<std::string> stashed;
  std::set<std::string> plans;
};

void expect_same(const Analysis& without, const Analysis& with) {
  EXPECT_FALSE(without.step.boundary.yield.valid());
  ASSERT_TRUE(with.step.boundary.yield.valid());
  EXPECT_GT(with.stashed.size(), 0U);
  EXPECT_EQ(without.stashed, with.stashed);
  EXPECT_EQ(without.plans, with.plans);
  EXPECT_EQ(without.step.parameters.size(), with.step.parameters.size());
}

/// The step with a YieldOp that reads `loss` and makes `seed`, whose original producer is removed.
Graph with_yield(const Graph& model, const std::string& loss, const std::string& seed) {
  GraphData data = model.data();
  const ValueId made = test::id_of(model, seed);
  Node yield;
  yield.name = "the_yield";
  yield.op_type = "YieldOp";
  yield.domain = "com.microsoft";
  yield.inputs = {test::id_of(model, loss)};
  yield.outputs = {made};
  IdVector<NodeId, Node> nodes;
  for (const NodeId id : IdRange<NodeId>(data.nodes.size())) {
    if (model.value(made).producer == id) continue;
    nodes.push_back(data.nodes[id]);
    if (model.value(yield.inputs[0]).producer == id) nodes.push_back(yield);
  }
  data.nodes = std::move(nodes);
  std::erase_if(data.initializers, [&](const Initializer& each) { return each.value == made; });
  std::erase(data.inputs, made);
  data.opsets.try_emplace("com.microsoft", 1);
  return Graph(std::move(data));
}

/// The tensor of ones, shaped like the loss, from which exported steps start their gradients.
std::string seed_in_plain_operators(const Graph& model) {
  for (const Node& node : model.nodes()) {
    if (node.op_type != "ConstantOfShape") continue;
    const NodeId shape = model.value(node.inputs[0]).producer;
    if (!shape.valid() || model.node(shape).op_type != "Shape") continue;
    if (model.value(model.node(shape).inputs[0]).name != "loss") continue;
    return model.value(node.outputs[0]).name;
  }
  return "";
}

#define SKIP_WITHOUT(path) \
  if (!fs::exists(path)) GTEST_SKIP() << (path) << " is not there"

class JointStep : public testing::TestWithParam<std::string> {};

TEST_P(JointStep, StashesWhatItsTwinWithAYieldOpStashes) {
  const fs::path file = models / "joint" / GetParam() / "model.onnx";
  SKIP_WITHOUT(file);
  const Graph model = load_model(file);
  const std::string seed = seed_in_plain_operators(model);
  ASSERT_NE(seed, "");
  expect_same(Analysis(model), Analysis(with_yield(model, "loss", seed)));
}

INSTANTIATE_TEST_SUITE_P(Files, JointStep,
                         testing::Values("bert_tiny", "bloom_tiny_3layer", "gpt2_tiny", "lenet",
                                         "llama_tiny_gqa", "llama_tiny_mha", "mlp_gelu", "mlp_relu",
                                         "vit_tiny"),
                         [](const auto& info) { return info.param; });

/// The file, the name of the loss, and the name of the seed of the gradients.
using Artifact = std::array<std::string, 3>;
class TrainingArtifact : public testing::TestWithParam<Artifact> {};

TEST_P(TrainingArtifact, StashesWhatItsTwinWithAYieldOpStashes) {
  const auto& [name, loss, seed] = GetParam();
  const fs::path file = models / "ort/training_api" / name;
  SKIP_WITHOUT(file);
  const Graph model = load_model(file);
  expect_same(Analysis(model), Analysis(with_yield(model, loss, seed)));
}

INSTANTIATE_TEST_SUITE_P(
    Files, TrainingArtifact,
    testing::Values(Artifact{"gradient_graph.13a0835b.onnx", "loss", "loss_grad"},
                    Artifact{"gradient_graph.onnx", "loss", "loss_grad"},
                    Artifact{"training_model.34b50bfa.onnx", "542.loss", "542.loss_grad"},
                    Artifact{"training_model.onnx", "onnx::loss::21273", "onnx::loss::21273_grad"},
                    Artifact{"custom_ops/training_model.onnx", "onnx::loss::6",
                             "onnx::loss::6_grad"}));

/// The forward model of the same network, differentiated by Stashscope.
TEST(TrainingArtifacts, StashWhatTheDifferentiatedForwardModelStashes) {
  const fs::path folder = models / "ort/training_api";
  SKIP_WITHOUT(folder);
  expect_same(Analysis(load_model(folder / "training_model.onnx")),
              Analysis(load_model(folder / "eval_model.onnx")));
}

/// Real graphs with a YieldOp, and the same graphs with the YieldOp cut out by hand.
using Pair = std::array<std::string, 2>;
class CutGraph : public testing::TestWithParam<Pair> {};

TEST_P(CutGraph, StashesWhatTheWholeOneStashes) {
  const fs::path cut = models / "ort_exec" / GetParam()[0] / "model.onnx";
  const fs::path whole = models / "ort/transform/recompute" / GetParam()[1];
  SKIP_WITHOUT(cut);
  SKIP_WITHOUT(whole);
  const Analysis without(load_model(cut));
  const Analysis with(load_model(whole));
  EXPECT_GT(with.stashed.size(), 0U);
  EXPECT_EQ(without.stashed, with.stashed);
}

INSTANTIATE_TEST_SUITE_P(Files, CutGraph,
                         testing::Values(Pair{"bloom3_fp32_h128",
                                              "3layer_bloom_optimized_training.onnx"},
                                         Pair{"recompute_gelu_split", "recompute_gelu.onnx"},
                                         Pair{"recompute_tile_split", "recompute_tile.onnx"}));

/// loss = mean(tanh(x w)^2) with its gradient in plain operators, returned as `gradient`.
ModelBuilder plain_step(const std::string& gradient) {
  ModelBuilder m;
  m.input("x", {6, 4}).weight("w", {4, 5});
  m.constant("two", Tensor::float_scalar(ElementType::float32, 2));
  const Attributes whole = {{"keepdims", std::int64_t{0}}};
  m.node("MatMul", {"x", "w"}, {"h"}).node("Tanh", {"h"}, {"t"}).node("Mul", {"t", "t"}, {"sq"});
  m.node("ReduceMean", {"sq"}, {"loss"}, whole);
  m.node("Mul", {"t", "two"}, {"dt"}).node("Sub", {"two", "sq"}, {"slope"});
  m.node("Mul", {"dt", "slope"}, {"dh"});
  m.node("Transpose", {"x"}, {"xt"}, {{"perm", Integers{1, 0}}});
  m.node("MatMul", {"xt", "dh"}, {gradient});
  return m.output("loss").output(gradient);
}

TEST(GivenBackward, GradientsAreKnownByNameNumberOrShape) {
  for (const char* name : {"w_grad", "w_grad.accumulation.out", "grad_0", "update"}) {
    SCOPED_TRACE(name);
    const Analysis found(plain_step(name).build());
    const Graph& graph = *found.step.graph;
    ASSERT_EQ(found.step.parameters.size(), 1U);
    EXPECT_EQ(graph.value(found.step.parameters[0].value).name, "w");
    EXPECT_EQ(graph.value(found.step.parameters[0].gradient).name, name);
    EXPECT_EQ(found.stashed, (std::set<std::string>{"t", "sq"}));
    EXPECT_EQ(found.found.forward_nodes, 4U);
    EXPECT_EQ(found.step.warnings.empty(), std::string(name).starts_with("w_grad"));
  }
}

TEST(GivenBackward, WhatDependsOnGradientsIsNoForwardOutput) {
  ModelBuilder m = plain_step("w_grad");
  m.node("ReduceSumSquare", {"w_grad"}, {"norm"}, {{"keepdims", std::int64_t{0}}}).output("norm");
  m.node("Sub", {"w", "w_grad"}, {"w_new"}).output("w_new");
  const Analysis found(m.build());
  EXPECT_EQ(found.step.boundary.outputs,
            std::vector<ValueId>{test::id_of(*found.step.graph, "loss")});
  EXPECT_EQ(found.stashed, (std::set<std::string>{"t", "sq"}));
}

TEST(GivenBackward, WhatAnOptimizerMakesIsNoGradient) {
  ModelBuilder m;
  m.input("rate", {1}).input("step", {1});
  for (const char* name : {"w", "w_grad", "w.first", "w.second"}) m.input(name, {4, 5});
  m.node("AdamOptimizer", {"rate", "step", "w", "w_grad", "w.first", "w.second"},
         {"step.out", "w.first.out", "w.second.out", "w.out", "w_grad.out"}, {}, "com.microsoft");
  for (const char* name : {"step.out", "w.first.out", "w.second.out", "w.out", "w_grad.out"}) {
    m.output(name).declare(name, {4, 5});
  }
  const GivenBackward found = find_given_backward(m.build());
  EXPECT_TRUE(found.parameters.empty());
  EXPECT_TRUE(found.warnings.empty());
  EXPECT_FALSE(found.boundary.known());
}

TEST(GivenBackward, AForwardModelHasNone) {
  EXPECT_FALSE(has_backward(test::perceptron().build()));
  ModelBuilder m;  // `upgrade` has the shape of a weight by coincidence
  m.input("x", {4, 4}).weight("w", {4, 4}).weight("v", {4, 4});
  m.node("MatMul", {"x", "w"}, {"h"}).node("MatMul", {"h", "v"}, {"upgrade"});
  m.node("Relu", {"h"}, {"probe"})
      .node("ReduceMean", {"upgrade"}, {"loss"}, {{"keepdims", std::int64_t{0}}});
  EXPECT_FALSE(has_backward(m.output("loss").output("upgrade").output("probe").build()));
}

}  // namespace given_backward_test
}  // namespace stashscope
