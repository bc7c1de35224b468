// Attention in the forms of exporters, and the nodes that stop it from being one node.

#include "core/passes/what_if/attention/attention_block.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/onnx/model_file.h"
#include "core/passes/infer_and_simplify.h"
#include "core/passes/infer_shapes.h"
#include "core/passes/training_goal.h"
#include "core/passes/what_if/what_if.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace attention_block_test {

using test::ModelBuilder;

/// The attentions of a graph, and why others cannot be one node.
struct AttentionBlocks {
  std::vector<AttentionBlock> found;
  std::vector<WhatIfStop> stopped_by;
};

AttentionBlocks blocks_of(const Graph& graph) {
  const Rewriter rewriter(graph, parameter_candidates(graph, {}));
  AttentionBlocks blocks;
  for (const NodeId softmax : attention_softmaxes(rewriter)) {
    WhatIfStop stop;
    auto block = read_attention_block(rewriter, softmax, stop);
    if (block) blocks.found.push_back(*std::move(block));
    if (!block) blocks.stopped_by.push_back(stop);
  }
  return blocks;
}

AttentionBlocks blocks_of(const ModelBuilder& model) {
  return blocks_of(infer_shapes(model.build()));
}

/// Queries [B, 4, S, 8], transposed keys [B, 4, 8, S] and values [B, 4, S, 8], and their product.
ModelBuilder products(std::int64_t opset = 17) {
  ModelBuilder m(opset);
  m.input("q", {"B", 4, "S", 8}).input("kt", {"B", 4, 8, "S"}).input("v", {"B", 4, "S", 8});
  m.node("MatMul", {"q", "kt"}, {"scores"});
  return m;
}

/// Adds the softmax of `scores` and the product with the values.
void finish(ModelBuilder& m, const std::string& scores) {
  m.node("Softmax", {scores}, {"p"}, {{"axis", std::int64_t{-1}}});
  m.node("MatMul", {"p", "v"}, {"y"}).output("y");
}

std::vector<std::string> step_types(const AttentionBlock& block) {
  std::vector<std::string> types;
  for (const AttentionStep& step : block.steps) types.push_back(step.type);
  return types;
}

TEST(AttentionBlock, HasItsStepsInTheOrderOfTheirComputation) {
  ModelBuilder m = products();
  m.weight("root", {}, {2.8F}).weight("cap", {}, {30}).weight("low", {}, {-1e9F});
  m.input("mask", {1, 1, "S", "S"}, ElementType::boolean).input("bias", {1, 4, "S", "S"});
  m.node("Div", {"scores", "root"}, {"a"}).node("Div", {"a", "cap"}, {"b"});
  m.node("Tanh", {"b"}, {"c"}).node("Mul", {"cap", "c"}, {"d"}).node("Add", {"bias", "d"}, {"e"});
  m.node("Where", {"mask", "e", "low"}, {"f"});
  finish(m, "f");
  const AttentionBlocks blocks = blocks_of(m);
  ASSERT_EQ(blocks.found.size(), 1U);
  EXPECT_EQ(step_types(blocks.found[0]),
            (std::vector<std::string>{"Div", "Div", "Tanh", "Mul", "Add", "Where"}));
  EXPECT_EQ(blocks.found[0].key.perm, (std::vector<std::int64_t>{0, 1, 3, 2}));
  EXPECT_TRUE(blocks.stopped_by.empty());
}

TEST(AttentionBlock, TellsTheSideOfTheScoresInAWhere) {
  ModelBuilder m = products();
  m.weight("low", {}, {-1e9F}).input("hidden", {1, 1, "S", "S"}, ElementType::boolean);
  m.node("Where", {"hidden", "low", "scores"}, {"f"});
  finish(m, "f");
  const AttentionBlocks blocks = blocks_of(m);
  ASSERT_EQ(blocks.found.size(), 1U);
  EXPECT_EQ(step_types(blocks.found[0]), std::vector<std::string>{"WhereNot"});
  EXPECT_EQ(blocks.found[0].steps[0].operands.size(), 2U);
}

TEST(AttentionBlock, SeesThroughTranspositions) {
  ModelBuilder m;
  m.input("q", {"B", "S", 4, 8}).input("k", {"B", "S", 4, 8}).input("v", {"B", "S", 4, 8});
  m.node("Transpose", {"q"}, {"qt"}, {{"perm", Integers{0, 2, 1, 3}}});
  m.node("Transpose", {"k"}, {"kt"}, {{"perm", Integers{0, 2, 3, 1}}});
  m.node("Transpose", {"v"}, {"vt"}, {{"perm", Integers{0, 2, 1, 3}}});
  m.node("MatMul", {"qt", "kt"}, {"s"})
      .node("Softmax", {"s"}, {"p"})
      .node("MatMul", {"p", "vt"}, {"y"});
  m.node("Transpose", {"y"}, {"yt"}, {{"perm", Integers{0, 2, 1, 3}}}).output("yt");
  const Graph graph = infer_shapes(m.build());
  const AttentionBlocks blocks = blocks_of(graph);
  ASSERT_EQ(blocks.found.size(), 1U);
  const AttentionBlock& block = blocks.found[0];
  EXPECT_EQ(graph.value(block.query.value).name, "q");
  EXPECT_EQ(graph.value(block.key.value).name, "k");
  EXPECT_EQ(graph.value(block.value.value).name, "v");
  const std::vector<std::int64_t> heads_first = {0, 2, 1, 3};
  EXPECT_EQ(block.query.perm, heads_first);
  EXPECT_EQ(block.key.perm, heads_first);
  EXPECT_EQ(block.output_perm, heads_first);
  EXPECT_EQ(graph.node(block.last).name, "make_yt");
}

/// Attention of four query heads over two heads of keys and values, each of which is repeated: as a
/// whole if the new axis is axis 2, in turn if it is axis 1.
Graph with_repeated_heads(std::int64_t axis) {
  ModelBuilder m;
  m.input("q", {"B", 4, "S", 8}).input("k", {"B", 2, "S", 8}).input("v", {"B", 2, "S", 8});
  m.input("shape", {5}, ElementType::int64).int64s("axis", {axis}).int64s("merged", {0, 4, -1, 8});
  for (const std::string each : {"k", "v"}) {
    m.node("Unsqueeze", {each, "axis"}, {each + "5"});
    m.declare(each + "r", {"B", 2, 2, "S", 8}).node("Expand", {each + "5", "shape"}, {each + "r"});
    m.declare(each + "h", {"B", 4, "S", 8}).node("Reshape", {each + "r", "merged"}, {each + "h"});
  }
  m.node("Transpose", {"kh"}, {"kt"}, {{"perm", Integers{0, 1, 3, 2}}});
  m.node("MatMul", {"q", "kt"}, {"s"});
  m.node("Softmax", {"s"}, {"p"}).node("MatMul", {"p", "vh"}, {"y"}).output("y");
  return infer_shapes(m.build());
}

/// Expects the attention of `with_repeated_heads(axis)` to read these keys and values.
void expect_operands(std::int64_t axis, const char* keys, const char* values) {
  const Graph graph = with_repeated_heads(axis);
  const AttentionBlocks blocks = blocks_of(graph);
  ASSERT_EQ(blocks.found.size(), 1U);
  EXPECT_EQ(graph.value(blocks.found[0].key.value).name, keys);
  EXPECT_EQ(graph.value(blocks.found[0].value.value).name, values);
}

TEST(AttentionBlock, TakesRepeatedHeadsOnce) { expect_operands(2, "k", "v"); }

TEST(AttentionBlock, LeavesHeadsAloneThatAreRepeatedInTurn) { expect_operands(1, "kh", "vh"); }

TEST(AttentionBlock, IsStoppedByANodeThatReadsTheScoresTwice) {
  ModelBuilder m = products();
  m.node("Mul", {"scores", "scores"}, {"squares"});
  finish(m, "squares");
  const AttentionBlocks blocks = blocks_of(m);
  ASSERT_EQ(blocks.stopped_by.size(), 1U);
  EXPECT_EQ(blocks.stopped_by[0].reason, "reads the scores twice");
}

/// The graph with flash attention, and what the what-if found.
std::pair<Graph, WhatIfResult> with_flash(const ModelBuilder& model) {
  const Graph graph = infer_shapes(model.build());
  std::vector<WhatIfResult> results;
  Graph changed = apply_what_if(graph, find_what_if("attention"), "flash", {}, {}, results);
  return {infer_shapes(changed), results.at(0)};
}

TEST(FlashAttention, MayFollowOnAnotherDirectly) {
  ModelBuilder m;
  const Attributes swap = {{"perm", Integers{0, 2, 1, 3}}};
  for (const char* const each : {"q", "k", "v", "k2", "v2"}) m.input(each, {"B", 4, "S", 8});
  for (const std::string each : {"k", "k2"}) {
    m.node("Transpose", {each}, {each + "t"}, {{"perm", Integers{0, 1, 3, 2}}});
  }
  m.node("MatMul", {"q", "kt"}, {"s"}).node("Softmax", {"s"}, {"p"});
  m.node("MatMul", {"p", "v"}, {"y"}).node("Transpose", {"y"}, {"yt"}, swap);
  m.node("Transpose", {"yt"}, {"q2"}, swap).node("MatMul", {"q2", "k2t"}, {"s2"});
  m.node("Softmax", {"s2"}, {"p2"}).node("MatMul", {"p2", "v2"}, {"z"}).output("z");
  const auto [graph, result] = with_flash(m);
  EXPECT_EQ(result.changed, 2U);
  ASSERT_EQ(graph.nodes().size(), 2U) << "only the two attentions";
  const Node& second = graph.nodes()[NodeId(1)];
  EXPECT_EQ(graph.value(second.inputs[0]).name, "yt");
  EXPECT_EQ(second.attributes.integers("query_perm"), (Integers{0, 2, 1, 3}));
}

TEST(FlashAttention, IsStoppedByAReshapeThatIsNotUndone) {
  ModelBuilder m;
  m.input("q", {"H", "S", 8}).input("kt", {"H", 8, "S"}).input("v", {2, "G", "S", 8});
  m.input("shape", {4}, ElementType::int64).node("MatMul", {"q", "kt"}, {"s"});
  m.declare("heads", {2, "G", "S", "S"}).node("Reshape", {"s", "shape"}, {"heads"});
  m.node("Softmax", {"heads"}, {"p"}).node("MatMul", {"p", "v"}, {"y"}).output("y");
  const auto [graph, result] = with_flash(m);
  EXPECT_EQ(result.changed, 0U);
  ASSERT_EQ(result.stopped_by.size(), 1U);
  EXPECT_NE(result.stopped_by[0].reason.find("reshaped"), std::string::npos);
}

TEST(AttentionBlock, IsStoppedByAReaderOfItsScores) {
  ModelBuilder m = products();
  m.node("Relu", {"scores"}, {"r"}).output("r");
  finish(m, "scores");
  const AttentionBlocks blocks = blocks_of(m);
  EXPECT_TRUE(blocks.found.empty());
  ASSERT_EQ(blocks.stopped_by.size(), 1U);
  EXPECT_NE(blocks.stopped_by[0].node.find("make_scores"), std::string::npos);
  EXPECT_NE(blocks.stopped_by[0].reason.find("make_r"), std::string::npos);
}

TEST(AttentionBlock, IsStoppedByProbabilitiesThatAreAnOutput) {
  ModelBuilder m = products();
  finish(m, "scores");
  m.output("p");
  const AttentionBlocks blocks = blocks_of(m);
  ASSERT_EQ(blocks.stopped_by.size(), 1U);
  EXPECT_NE(blocks.stopped_by[0].reason.find("output"), std::string::npos);
}

TEST(AttentionBlock, IsStoppedByANodeThatIsNoStep) {
  ModelBuilder m = products();
  m.node("Relu", {"scores"}, {"r"});
  finish(m, "r");
  const AttentionBlocks blocks = blocks_of(m);
  ASSERT_EQ(blocks.stopped_by.size(), 1U);
  EXPECT_NE(blocks.stopped_by[0].node.find("make_r"), std::string::npos);
}

TEST(AttentionBlock, IsStoppedByValuesThatAreNoMatrices) {
  ModelBuilder m;
  m.input("q", {"B", 4, "S", 8}).input("kt", {"B", 4, 8, "S"}).input("v", {"S"});
  m.node("MatMul", {"q", "kt"}, {"scores"});
  finish(m, "scores");
  const AttentionBlocks blocks = blocks_of(m);
  ASSERT_EQ(blocks.stopped_by.size(), 1U);
  EXPECT_NE(blocks.stopped_by[0].node.find("make_y"), std::string::npos);
}

TEST(AttentionBlock, IsNoSoftmaxOfARouter) {
  ModelBuilder m;
  m.input("x", {"N", 8}).weight("w", {8, 4}).node("MatMul", {"x", "w"}, {"s"});
  m.node("Softmax", {"s"}, {"p"}).node("ArgMax", {"p"}, {"y"}).output("y");
  const AttentionBlocks blocks = blocks_of(m);
  EXPECT_TRUE(blocks.found.empty() && blocks.stopped_by.empty());
}

TEST(AttentionBlock, KnowsTheDropoutOfItsProbabilities) {
  ModelBuilder m = products();
  m.weight("Constant_ratio", {}, {0.25F});
  m.constant("on", Tensor(ElementType::boolean, {}, std::string(1, '\1')));
  m.node("Softmax", {"scores"}, {"p"});
  m.node("Dropout", {"p", "Constant_ratio", "on"}, {"d"}, {{"seed", std::int64_t{7}}});
  m.node("MatMul", {"d", "v"}, {"y"}).output("y");
  const AttentionBlocks blocks = blocks_of(m);
  ASSERT_EQ(blocks.found.size(), 1U);
  EXPECT_EQ(blocks.found[0].dropped_share, 0.25);
  EXPECT_EQ(blocks.found[0].dropout_seed, 7);
}

TEST(AttentionBlock, KnowsThatOldDropoutsDropUnlessTheyTest) {
  const auto dropped_share = [](std::int64_t opset) {
    ModelBuilder m = products(opset);
    m.node("Softmax", {"scores"}, {"p"}, {{"axis", std::int64_t{3}}});
    m.node("Dropout", {"p"}, {"d"}).node("MatMul", {"d", "v"}, {"y"}).output("y");
    const AttentionBlocks blocks = blocks_of(m);
    return blocks.found.size() == 1 ? blocks.found[0].dropped_share : -1;
  };
  EXPECT_EQ(dropped_share(6), 0.5);
  EXPECT_EQ(dropped_share(7), 0);
}

/// The number of attentions in each shared model that computes attention.
struct SharedModel {
  const char* path;
  std::size_t attentions;
};

class SharedAttention : public testing::TestWithParam<SharedModel> {};

TEST_P(SharedAttention, IsRecognized) {
  const std::filesystem::path path =
      std::filesystem::path(STASHSCOPE_SHARED) / "models" / GetParam().path;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent";
  const AttentionBlocks blocks = blocks_of(infer_and_simplify(load_model(path)));
  for (const WhatIfStop& stop : blocks.stopped_by) ADD_FAILURE() << stop.node << " " << stop.reason;
  EXPECT_EQ(blocks.found.size(), GetParam().attentions);
}

INSTANTIATE_TEST_SUITE_P(
    Models, SharedAttention,
    testing::Values(SharedModel{"small/bert_tiny/model.onnx", 2},
                    SharedModel{"small/bert_tiny_dropout/model.onnx", 2},
                    SharedModel{"small/bloom_tiny_3layer/model.onnx", 3},
                    SharedModel{"small/bloom_tiny_6heads/model.onnx", 1},
                    SharedModel{"small/diffusion_unet_small/model.onnx", 10},
                    SharedModel{"small/gpt2_tiny/model.onnx", 2},
                    SharedModel{"small/gpt2_tiny_dropout/model.onnx", 2},
                    SharedModel{"small/gpt2_tiny_opset17_sharednames/model.onnx", 2},
                    SharedModel{"small/llama_tiny_amp_bf16/model.onnx", 2},
                    SharedModel{"small/llama_tiny_gqa/model.onnx", 2},
                    SharedModel{"small/llama_tiny_mha/model.onnx", 2},
                    SharedModel{"small/vit_tiny/model.onnx", 2},
                    SharedModel{"exported/bert_dynamo/model.onnx", 2},
                    SharedModel{"exported/bert_script/model.onnx", 2},
                    SharedModel{"exported/gpt2_dynamo/model.onnx", 2},
                    SharedModel{"exported/gpt2_script/model.onnx", 2},
                    SharedModel{"exported/llama_dynamo/model.onnx", 2},
                    SharedModel{"exported/llama_script/model.onnx", 2},
                    SharedModel{"exported/mixtral_dynamo/model.onnx", 2},
                    SharedModel{"exported/mixtral_script/model.onnx", 2},
                    SharedModel{"exported/nn_transformer_dynamo/model.onnx", 2},
                    SharedModel{"exported/nn_transformer_script/model.onnx", 2},
                    SharedModel{"exported/phi3_dynamo/model.onnx", 2},
                    SharedModel{"exported/phi3_script/model.onnx", 2},
                    SharedModel{"exported/swin_dynamo/model.onnx", 4},
                    SharedModel{"exported/swin_script/model.onnx", 4},
                    SharedModel{"exported/t5_dynamo/model.onnx", 6},
                    SharedModel{"exported/t5_script/model.onnx", 6},
                    SharedModel{"exported/vit_dynamo/model.onnx", 2},
                    SharedModel{"exported/vit_script/model.onnx", 2},
                    SharedModel{"full/gpt2_124m_train_fwd.onnx", 12},
                    SharedModel{"full/bert_base_train_fwd.onnx", 12},
                    SharedModel{"full/bloom_3layer_h2560_train_fwd.onnx", 3},
                    SharedModel{"full/llama_7b_4of32layers_train_fwd.onnx", 4},
                    SharedModel{"full/llama_tinyllama_1.1b_train_fwd.onnx", 22},
                    SharedModel{"full/diffusion_unet_base320_train_fwd.onnx", 18},
                    SharedModel{"full/vit_b16_train_fwd.onnx", 12}),
    [](const auto& each) {
      std::string name = each.param.path;
      for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
      return name;
    });

}  // namespace attention_block_test
}  // namespace stashscope
