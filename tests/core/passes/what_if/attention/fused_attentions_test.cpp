// Attentions in one node: what is read, what stops it, and what it becomes.

#include "core/passes/what_if/attention/fused_attentions.h"

#include <gtest/gtest.h>

#include "core/passes/infer_shapes.h"
#include "core/passes/what_if/what_if.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace fused_attentions_test {

using test::ModelBuilder;

/// A graph in a form of attention, and what the what-if found.
struct Changed {
  Graph graph;
  WhatIfResult result;

  std::size_t count(std::string_view type) const {
    std::size_t found = 0;
    for (const Node& node : graph.nodes()) found += node.op_type == type ? 1 : 0;
    return found;
  }
  const Node& only(std::string_view type) const {
    for (const Node& node : graph.nodes()) {
      if (node.op_type == type) return node;
    }
    throw std::runtime_error("no " + std::string(type));
  }
};

Changed changed(const Graph& graph, const std::string& form) {
  std::vector<WhatIfResult> results;
  Graph made = apply_what_if(graph, find_what_if("attention"), form, {}, {}, results);
  return {infer_shapes(made), results.at(0)};
}

Changed changed(const ModelBuilder& model, const std::string& form) {
  return changed(infer_shapes(model.build()), form);
}

Shape output_shape(const Graph& graph) { return *graph.value(graph.data().outputs[0]).type.shape; }

/// Queries, keys and values [B, 4 or 2 heads, S, 8].
ModelBuilder operands() {
  ModelBuilder m(23);
  m.input("q", {"B", 4, "S", 8}).input("k", {"B", 2, "S", 8}).input("v", {"B", 2, "S", 8});
  return m;
}

ModelBuilder causal_attention() {
  ModelBuilder m = operands();
  m.node("Attention", {"q", "k", "v"}, {"y"}, {{"is_causal", std::int64_t{1}}}).output("y");
  return m;
}

TEST(FusedAttentions, BecomeOneNodeOfTheChosenForm) {
  const Graph model = infer_shapes(causal_attention().build());
  for (const std::string form : {"flash", "efficient", "recomputed"}) {
    const Changed made = changed(model, form);
    EXPECT_EQ(made.result.changed, 1U);
    EXPECT_EQ(made.result.found, 1U);
    const Node& node = made.only("FusedAttention");
    EXPECT_EQ(node.attributes.text("form", ""), form);
    EXPECT_EQ(node.attributes.texts("steps"), (Strings{"Mul", "Where"}));
    EXPECT_EQ(made.graph.value(node.inputs[1]).name, "k") << "heads are not repeated";
    EXPECT_EQ(output_shape(made.graph), output_shape(model));
  }
}

TEST(FusedAttentions, AreWrittenStepByStepSoThatTheyAreFoundAgain) {
  const Changed plain = changed(causal_attention(), "decomposed");
  EXPECT_EQ(plain.result.changed, 1U);
  EXPECT_EQ(plain.count("Attention"), 0U);
  EXPECT_EQ(plain.count("MatMul"), 2U);
  EXPECT_EQ(plain.count("Softmax"), 1U);
  EXPECT_EQ(plain.count("Expand"), 2U) << "keys and values of two heads are repeated";
  const Changed again = changed(plain.graph, "flash");
  EXPECT_EQ(again.result.changed, 1U);
  EXPECT_EQ(again.count("Expand"), 0U);
  EXPECT_EQ(again.only("FusedAttention").attributes.texts("steps"), (Strings{"Mul", "Where"}));
}

TEST(FusedAttentions, ChangeFromOneFormToAnotherAndBack) {
  const Changed flash = changed(causal_attention(), "flash");
  EXPECT_EQ(changed(flash.graph, "flash").result.changed, 0U);
  EXPECT_EQ(changed(flash.graph, "flash").result.found, 1U);
  const Changed efficient = changed(flash.graph, "efficient");
  EXPECT_EQ(efficient.result.changed, 1U);
  EXPECT_EQ(efficient.only("FusedAttention").attributes.text("form", ""), "efficient");
  const Changed plain = changed(flash.graph, "decomposed");
  EXPECT_EQ(plain.count("FusedAttention"), 0U);
  EXPECT_EQ(plain.count("Softmax"), 1U);
  EXPECT_EQ(output_shape(plain.graph), output_shape(flash.graph));
}

TEST(FusedAttentions, ShareTheMaskOfLaterKeys) {
  ModelBuilder m = operands();
  const Attributes causal = {{"is_causal", std::int64_t{1}}};
  m.node("Attention", {"q", "k", "v"}, {"y"}, causal);
  m.node("Attention", {"y", "k", "v"}, {"z"}, causal).output("z");
  const Changed made = changed(m, "flash");
  EXPECT_EQ(made.count("FusedAttention"), 2U);
  EXPECT_EQ(made.count("Less"), 1U);
}

TEST(FusedAttentions, TakeInTheTranspositionsAroundThem) {
  ModelBuilder m(23);
  for (const std::string each : {"q", "k", "v"}) {
    m.input(each, {"B", "S", 4, 8});
    m.node("Transpose", {each}, {each + "t"}, {{"perm", Integers{0, 2, 1, 3}}});
  }
  m.node("Attention", {"qt", "kt", "vt"}, {"y"});
  m.node("Transpose", {"y"}, {"yt"}, {{"perm", Integers{0, 2, 1, 3}}}).output("yt");
  const Changed made = changed(m, "flash");
  ASSERT_EQ(made.graph.nodes().size(), 1U);
  EXPECT_EQ(made.only("FusedAttention").attributes.integers("output_perm"), (Integers{0, 2, 1, 3}));
}

TEST(FusedAttentions, SplitAndMergeHeadsOfOneAxis) {
  ModelBuilder m(23);
  for (const char* const each : {"q", "k", "v"}) m.input(each, {"B", "S", 32});
  m.node("Attention", {"q", "k", "v"}, {"y"},
         {{"q_num_heads", std::int64_t{4}}, {"kv_num_heads", std::int64_t{4}}});
  m.output("y");
  for (const char* const form : {"flash", "decomposed"}) {
    const Changed made = changed(m, form);
    EXPECT_EQ(made.result.changed, 1U);
    EXPECT_EQ(output_shape(made.graph), output_shape(infer_shapes(m.build())));
  }
}

/// The reason that stops the only attention of a model.
std::string stop_of(const ModelBuilder& model, const std::string& form) {
  const Changed made = changed(model, form);
  EXPECT_EQ(made.result.changed, 0U);
  EXPECT_EQ(made.graph.nodes().size(), model.data().nodes.size());
  if (made.result.stopped_by.size() != 1) return "";
  EXPECT_NE(made.result.stopped_by[0].node.find("make_y"), std::string::npos);
  return made.result.stopped_by[0].reason;
}

TEST(FusedAttentions, AreStoppedByScoresThatAreReadUnlessTheyAreWhole) {
  ModelBuilder m = operands();
  m.node("Attention", {"q", "k", "v"}, {"y", "", "", "scores"}).output("y").output("scores");
  EXPECT_NE(stop_of(m, "flash").find("scores that are read"), std::string::npos);
  const Changed plain = changed(m, "decomposed");
  EXPECT_EQ(plain.result.changed, 1U);
  EXPECT_EQ(plain.graph.value(plain.graph.data().outputs[1]).name, "scores");
}

TEST(FusedAttentions, ShareNothingWithAPlaceThatIsStopped) {
  ModelBuilder m = operands();
  m.input("pk", {"B", 2, "P", 8}).input("pv", {"B", 2, "P", 8});
  const Attributes causal = {{"is_causal", std::int64_t{1}}};
  m.node("Attention", {"q", "k", "v", "", "pk", "pv"}, {"y", "nk", "nv", "scores"}, causal);
  m.node("Attention", {"y", "k", "v", "", "pk", "pv"}, {"z"}, causal);
  for (const char* const each : {"nk", "nv", "scores", "z"}) m.output(each);
  const Changed made = changed(m, "flash");
  EXPECT_EQ(made.result.changed, 1U);
  EXPECT_EQ(made.result.stopped_by.size(), 1U);
  EXPECT_EQ(made.count("FusedAttention"), 1U);
  EXPECT_TRUE(made.graph.data().warnings.empty()) << "nodes are in order";
}

TEST(FusedAttentions, AreStoppedByAWindowOfKeys) {
  ModelBuilder m = operands();
  m.node("Attention", {"q", "k", "v"}, {"y"}, {{"left_window_size", std::int64_t{2}}}).output("y");
  EXPECT_NE(stop_of(m, "decomposed").find("window"), std::string::npos);
}

TEST(FusedAttentions, AreStoppedByAMaskOfUnknownReach) {
  ModelBuilder m = operands();
  m.input("mask", {"S", "M"}).node("Attention", {"q", "k", "v", "mask"}, {"y"}).output("y");
  EXPECT_NE(stop_of(m, "flash").find("mask"), std::string::npos);
}

TEST(FusedAttentions, AreStoppedByValuesOfAnotherType) {
  ModelBuilder m(23);
  m.input("q", {1, 2, "S", 8}).input("k", {1, 2, "S", 8});
  m.input("v", {1, 2, "S", 8}, ElementType::float16);
  m.node("Attention", {"q", "k", "v"}, {"y"}).output("y");
  EXPECT_NE(stop_of(m, "flash").find("another type"), std::string::npos);
}

/// A node `y` with queries, keys and values of these dims, and a mask unless it has no type.
struct StopCase {
  const char* type;
  const char* domain;
  std::vector<ModelBuilder::Dim> query;
  std::vector<ModelBuilder::Dim> key;
  Attributes attributes;
  const char* reason;
  ElementType value = ElementType::float32;
  ElementType mask = ElementType::undefined;
  std::vector<ModelBuilder::Dim> mask_dims = {5, 6};
};

ModelBuilder model_of(const StopCase& each) {
  ModelBuilder m(23);
  m.input("q", each.query).input("k", each.key).input("v", each.key, each.value);
  std::vector<std::string> inputs = {"q", "k", "v"};
  if (each.mask != ElementType::undefined) {
    m.input("mask", each.mask_dims, each.mask);
    inputs.emplace_back("mask");
  }
  m.node(each.type, inputs, {"y"}, each.attributes, each.domain).output("y");
  return m;
}

TEST(FusedAttentions, AreStoppedByWhatDoesNotFit) {
  using enum ElementType;
  const Attributes aten = {{"operator", std::string("scaled_dot_product_attention")}};
  const auto precision = [](std::int64_t type) { return Attributes{{"softmax_precision", type}}; };
  const std::vector<ModelBuilder::Dim> q = {1, 2, 5, 8};
  const std::vector<ModelBuilder::Dim> k = {1, 2, 6, 8};
  const char* const torch = "org.pytorch.aten";
  const std::vector<StopCase> cases = {
      {"ATen", torch, {1, 4, 5, 8}, {1, 0, 6, 8}, aten, "no multiple"},
      {"ATen", torch, {1, 2, 5, 8}, {1, 4, 6, 8}, aten, "no multiple"},
      {"ATen", torch, {1, 4, 5, 8}, {1, 3, 6, 8}, aten, "no multiple"},
      {"ATen", torch, q, k, aten, "mask of integers", float32, int64},
      {"Attention", "", q, k, {}, "mask of integers", float32, int64},
      {"Attention", "", q, k, {}, "one number for several keys", float32, boolean, {5, 1}},
      {"Attention", "", q, k, precision(7), "softmax_precision"},
      {"Attention", "", q, k, precision(9999), "softmax_precision"},
  };
  for (const StopCase& each : cases) {
    for (const char* const form : {"flash", "decomposed"}) {
      SCOPED_TRACE(std::string(each.type) + ", " + each.reason + ", " + form);
      const std::string reason = stop_of(model_of(each), form);
      EXPECT_NE(reason.find(each.reason), std::string::npos) << reason;
    }
  }
}

TEST(FusedAttentions, AreStoppedByASoftmaxThatOnlyNodesCompute) {
  const StopCase wide = {
      "Attention", "", {1, 2, 5, 8}, {1, 2, 6, 8}, {{"softmax_precision", std::int64_t{11}}}, ""};
  EXPECT_NE(stop_of(model_of(wide), "flash").find("softmax_precision"), std::string::npos);
  EXPECT_EQ(changed(model_of(wide), "decomposed").result.changed, 1U);
}

TEST(FusedAttentions, OfValuesOfAnotherTypeAreNotWrittenStepByStep) {
  const StopCase half = {"FusedAttention",    "com.microsoft", {1, 2, 5, 8}, {1, 2, 6, 8}, {}, "",
                         ElementType::float16};
  EXPECT_NE(stop_of(model_of(half), "decomposed").find("another type"), std::string::npos);
  EXPECT_EQ(changed(model_of(half), "efficient").result.changed, 1U);
}

/// An attention whose scores [heads, rows, keys] become [1, heads, rows, keys].
Changed back_from_reshape(std::int64_t opset, ModelBuilder::Dim rows, ModelBuilder::Dim keys) {
  ModelBuilder m(opset);
  m.input("q", {4, rows, 8}).input("k", {4, keys, 8}).input("v", {4, keys, 8});
  m.input("mask", {1, 1, rows, keys}).int64s("one", {1});
  m.int64s("four", {4}).node("Shape", {"mask"}, {"sizes"});
  m.int64s("two_on", {2}).int64s("end", {4}).node("Slice", {"sizes", "two_on", "end"}, {"last"});
  m.node("Concat", {"one", "four", "last"}, {"shape"}, {{"axis", std::int64_t{0}}});
  m.node("FusedAttention", {"q", "k", "v", "shape", "mask"}, {"y"},
         {{"steps", Strings{"Reshape", "Add"}}}, "com.microsoft");
  m.output("y");
  return changed(m, "decomposed");
}

TEST(FusedAttentions, AreWrittenWithScoresThatAreReshapedBack) {
  for (const std::int64_t opset : {10, 12, 17}) {
    for (const ModelBuilder::Dim& rows : {ModelBuilder::Dim(5), ModelBuilder::Dim("S")}) {
      for (const ModelBuilder::Dim& keys : {ModelBuilder::Dim(6), ModelBuilder::Dim("T")}) {
        const Changed plain = back_from_reshape(opset, rows, keys);
        EXPECT_EQ(plain.result.changed, 1U);
        EXPECT_EQ(plain.count("Reshape"), 2U + (plain.count("Gather") > 0 ? 3U : 0U));
        EXPECT_EQ(output_shape(plain.graph).size(), 3U);
        EXPECT_EQ(plain.only("Softmax").attributes.integer("axis", 0), opset < 11 ? 3 : -1);
        EXPECT_TRUE(plain.graph.data().warnings.empty());
        EXPECT_EQ(changed(plain.graph, "flash").count("FusedAttention"), 1U);
      }
    }
  }
}

}  // namespace fused_attentions_test
}  // namespace stashscope
