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
  Graph made = apply_what_ifs(graph, {}, {{"attention", form}}, results);
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

}  // namespace fused_attentions_test
}  // namespace stashscope
