#include "core/graph/node_path.h"

#include <gtest/gtest.h>

namespace stashscope {
namespace node_path_test {

using Scope = std::vector<std::string>;

Scope scope_of(std::string_view name) { return parse_node_name(name).scope; }

TEST(NodePath, SlashesSeparateModules) {
  EXPECT_EQ(scope_of("/transformer/h.0/attn/MatMul"), (Scope{"transformer", "h.0", "attn"}));
  EXPECT_EQ(scope_of("encoder//layer_1/Add_2"), (Scope{"encoder", "layer_1"}));
}

TEST(NodePath, DotsSeparateModulesAndAnIndexStaysWithItsList) {
  EXPECT_EQ(scope_of("h.0.attn.MatMul"), (Scope{"h.0", "attn"}));
  EXPECT_EQ(scope_of("model.layers.11.mlp.2.Gemm"), (Scope{"model", "layers.11", "mlp.2"}));
  EXPECT_EQ(scope_of("conv1.weight"), Scope{}) << "one dot is no path";
}

TEST(NodePath, MetadataComesBeforeTheName) {
  Node node;
  node.name = "/some/where/MatMul";
  EXPECT_EQ(path_of(node).scope, (Scope{"some", "where"}));
  EXPECT_EQ(module_of(node), "");
  node.origin = std::make_shared<const NodeOrigin>(NodeOrigin{{"m", "layers.0", "mlp"}, "", 0});
  EXPECT_EQ(path_of(node).scope, (Scope{"m", "layers.0", "mlp"}));
  EXPECT_EQ(module_of(node), "m.layers.0.mlp");
}

TEST(NodePath, FindsNodesByPartsOfTheirModulesPath) {
  GraphData data;
  for (const char* name : {"/model/layers.3/attn/MatMul", "/model/layers.3/attn/q/MatMul",
                           "/model/layers.30/attn/MatMul", "/model/layers.3/mlp/MatMul", "Add"}) {
    data.nodes.push_back({name, "", "Add", {}, {}, {}, {}, ""});
  }
  const Graph graph(std::move(data));
  const auto found = [&](std::string_view module) {
    std::vector<std::size_t> nodes;
    for (const NodeId node : nodes_in_module(graph, module)) nodes.push_back(node.index());
    return nodes;
  };
  using Nodes = std::vector<std::size_t>;
  EXPECT_EQ(found("layers.3.attn"), (Nodes{0, 1}));
  EXPECT_EQ(found("model/layers.3"), (Nodes{0, 1, 3}));
  EXPECT_EQ(found("layers.*.attn"), (Nodes{0, 1, 2}));
  EXPECT_EQ(found("ayers.3"), Nodes{}) << "begins inside a name";
  EXPECT_EQ(found("layers.3.at"), Nodes{}) << "ends inside a name";
}

TEST(NodePath, PlainAndOddNamesHaveNoScope) {
  for (const char* name : {"", "MatMul_7", "/", "///", "/MatMul", ".", "....", "..a", "0.1.2"}) {
    EXPECT_EQ(scope_of(name), Scope{}) << name;
  }
}

TEST(NodePath, GradientsBelongToTheirForwardNode) {
  const NodePath path = parse_node_name("/h.0/attn/MatMul_Grad/Gemm_1");
  EXPECT_EQ(path.gradient_of, "/h.0/attn/MatMul");
  EXPECT_EQ(path.scope, (Scope{"h.0", "attn"}));
  EXPECT_EQ(parse_node_name("AccumulateGrad_h.0.a.w_Grad/Sum").gradient_of, "h.0.a.w");
  EXPECT_EQ(parse_node_name("/h.0/MatMul").gradient_of, "");
  EXPECT_EQ(parse_node_name("_Grad/Sum").scope, Scope{});
}

TEST(NodePath, ClonesLieWhereTheirOriginalsLie) {
  EXPECT_EQ(scope_of("/h.0/Gelu_recompute"), (Scope{"h.0"}));
  EXPECT_EQ(scope_of("/h.0/Gelu_recompute_recompute"), (Scope{"h.0"}));
  EXPECT_EQ(scope_of("_recompute"), Scope{});
}

TEST(NodePath, HostileDepthIsBounded) {
  std::string name;
  for (int i = 0; i < 100000; ++i) name += "a/";
  EXPECT_LE(scope_of(name + "Add").size(), 24U);
  EXPECT_LE(scope_of(std::string(100000, '.') + "a.b.c").size(), 24U);
}

TEST(SeriesStem, IsTheNameWithoutItsNumber) {
  EXPECT_EQ(series_stem("blocks.3"), "blocks.");
  EXPECT_EQ(series_stem("layer12"), "layer");
  for (const char* label : {"attn", "", "12", "h.0.attn"})
    EXPECT_EQ(series_stem(label), "") << label;
}

TEST(BlockPattern, HasAStarForEachWholeNumber) {
  EXPECT_EQ(block_pattern("h.11.attn"), "h.*.attn");
  EXPECT_EQ(block_pattern("layer4.0"), "layer4.*");
  EXPECT_EQ(block_pattern("stages.2.blocks.10"), "stages.*.blocks.*");
  EXPECT_EQ(block_pattern("ln_1"), "ln_1");
  EXPECT_EQ(block_pattern(""), "");
}

TEST(LayerAround, EndsAtTheFirstNumber) {
  EXPECT_EQ(layer_around("h.11.attn.c_proj"), "h.11");
  EXPECT_EQ(layer_around("decoder.block.3.layer.0"), "decoder.block.3");
  EXPECT_EQ(layer_around("lm_head"), "lm_head");
}

}  // namespace node_path_test
}  // namespace stashscope
