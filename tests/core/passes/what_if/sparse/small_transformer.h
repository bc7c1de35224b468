#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/support/model_builder.h"
#include "tests/support/passed.h"

namespace stashscope::sparse_test {

using test::count;
using test::ModelBuilder;

constexpr std::int64_t width = 4;
constexpr std::int64_t classes = 20;

struct Sparse {
  Graph graph;
  WhatIfResult result;
};

/// The model without its padding. Numbers without axes are not trained.
inline Sparse sparse(GraphData data, const std::string& density = "data",
                     const TrainingGoal& goal = {}) {
  PassSelection selection;
  selection.what_ifs = {{"sparse", density}};
  for (Initializer& each : data.initializers) each.is_literal = each.tensor.dims().empty();
  PassedModel passed = apply_passes(Graph(std::move(data)), goal, selection);
  return {std::move(passed.graph), passed.what_ifs.at(0)};
}

inline Sparse sparse(const ModelBuilder& model, const std::string& density = "data",
                     const TrainingGoal& goal = {}) {
  return sparse(model.data(), density, goal);
}

/// How a transformer differs from the usual one.
struct Form {
  std::string mask_axes = "key_axis";  ///< where the mask gets an axis: `key_axis` or `row_axis`
  float penalty = -10000;
  bool inverts_mask = true;
  bool has_mask = true;
  bool is_causal = false;
  const char* is_later = "Less";  ///< compares the place of a row with that of a key
  Attributes loss = {{"ignore_index", std::int64_t{-100}}};
  std::function<void(ModelBuilder&)> middle = {};  ///< reads `r`, makes `m`
  std::function<void(ModelBuilder&)> end = {};     ///< reads `l` and `labels`, makes the loss
  std::function<void(ModelBuilder&)> start = {};   ///< reads `e`, makes `x`
  std::function<void(ModelBuilder&)> keys = {};    ///< reads `k`, makes `y`
  std::function<void(ModelBuilder&)> hiding = {};  ///< reads `hidden`, makes `y`
  std::function<void(ModelBuilder&)> scores = {};  ///< reads `masked`, makes `z`
  std::function<void(ModelBuilder&)> shares = {};  ///< reads `p`, makes `y`
};

inline void add_mask(ModelBuilder& m, const Form& form) {
  m.input("mask", {"B", "S"}, ElementType::int64);
  m.weight("unit", {}, {1}).weight("penalty", {}, {form.penalty});
  m.int64s("key_axis", {1}).int64s("row_axis", {2});
  m.node("Cast", {"mask"}, {"shown"}, {{"to", std::int64_t{1}}});
  m.node("Sub", {"unit", "shown"}, {"hidden"});
  if (form.hiding) form.hiding(m);
  const std::string hidden = form.hiding ? "y" : "hidden";
  m.node("Mul", {form.inverts_mask ? hidden : "shown", "penalty"}, {"low"});
  m.node("Unsqueeze", {"low", form.mask_axes}, {"added"});
  m.node("Add", {"s", "added"}, {"masked"});
}

inline void add_attention(ModelBuilder& m, const Form& form) {
  m.node("MatMul", {"x", "wq"}, {"q"}).node("MatMul", {"x", "wk"}, {"k"});
  m.node("MatMul", {"x", "wv"}, {"v"});
  if (form.keys) form.keys(m);
  m.node("Transpose", {form.keys ? "y" : "k"}, {"kt"}, {{"perm", Integers{0, 2, 1}}});
  m.node("MatMul", {"q", "kt"}, {"s"});
  if (form.has_mask) add_mask(m, form);
  if (form.is_causal) {
    m.constant("zero", Tensor::int64_scalar(0)).constant("one", Tensor::int64_scalar(1));
    m.int64s("column", {-1, 1}).weight("low", {}, {-10000});
    m.node("Shape", {"ids"}, {"dims"}).node("Gather", {"dims", "one"}, {"count"});
    m.node("Range", {"zero", "count", "one"}, {"keys"})
        .node("Reshape", {"keys", "column"}, {"rows"});
    m.node(form.is_later, {"rows", "keys"}, {"is_later"});
    m.node("Where", {"is_later", "low", "s"}, {"masked"});
  }
  if (form.scores) form.scores(m);
  const char* const masked = form.has_mask || form.is_causal ? "masked" : "s";
  m.node("Softmax", {form.scores ? "z" : masked}, {"p"});
  if (form.shares) form.shares(m);
  m.node("MatMul", {form.shares ? "y" : "p", "v"}, {"c"}).node("MatMul", {"c", "wo"}, {"o"});
  m.node("Add", {"o", "x"}, {"r"});
}

/// Embeddings, one attention with one head, and the loss over the vocabulary.
inline ModelBuilder transformer(const Form& form = {}) {
  ModelBuilder m;
  m.input("ids", {"B", "S"}, ElementType::int64);
  for (const char* name : {"wq", "wk", "wv", "wo"}) m.weight(name, {width, width});
  m.weight("table", {classes, width}).weight("scale", {width}).weight("w", {width, classes});
  m.int64s("flat", {-1, classes}).int64s("list", {-1});
  m.node("Gather", {"table", "ids"}, {form.start ? "e" : "x"});
  if (form.start) form.start(m);
  add_attention(m, form);
  m.input("labels", {"B", "S"}, ElementType::int64);
  if (form.middle) form.middle(m);
  m.node("LayerNormalization", {form.middle ? "m" : "r", "scale"}, {"h"});
  m.node("MatMul", {"h", "w"}, {"l"});
  if (form.end) {
    form.end(m);
    return m;
  }
  m.node("Reshape", {"l", "flat"}, {"scores"}).node("Reshape", {"labels", "list"}, {"targets"});
  m.node("SoftmaxCrossEntropyLoss", {"scores", "targets"}, {"loss"}, form.loss);
  return m.output("loss");
}

/// Expects that nothing changes, because of one node.
inline void expect_stop(const ModelBuilder& model, const std::string& node,
                        const std::string& reason) {
  SCOPED_TRACE(node + " " + reason);
  const Sparse made = sparse(model);
  EXPECT_EQ(made.result.changed, 0U);
  EXPECT_EQ(count(made.graph, "NonZero") + count(made.graph, "FlattenAndUnpad"), 0U);
  EXPECT_EQ(made.graph.data().packed_tokens, nullptr);
  ASSERT_EQ(made.result.stopped_by.size(), 1U);
  EXPECT_EQ(made.result.stopped_by[0].node, "node 'make_" + node);
  EXPECT_EQ(made.result.stopped_by[0].reason, reason);
}

}  // namespace stashscope::sparse_test
