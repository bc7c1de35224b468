// Models whose results would depend on tokens that are left out.

#include "tests/core/passes/what_if/sparse/small_transformer.h"

namespace stashscope {
namespace hidden_tokens_test {

using namespace sparse_test;

using Change = std::function<void(ModelBuilder&)>;

constexpr std::int64_t real = 1;
constexpr std::int64_t truth = 9;

const std::string unhidden = "reads scores of tokens that no mask hides";
const std::string mixed = "sums over tokens that no mask hides";
const std::string divides = "may divide by the zeros that are put back for left out tokens";

void expect_sparse(const Form& form) {
  const Sparse made = sparse(transformer(form));
  EXPECT_GT(made.result.changed, 0U);
  for (const WhatIfStop& stop : made.result.stopped_by) ADD_FAILURE() << stop.node << stop.reason;
}

/// Gives `from` an axis of one element in front of the rows, does something, and takes it away.
Change with_heads(const std::string& from, const std::string& to, const Change& change) {
  return [=](ModelBuilder& m) {
    m.node("Unsqueeze", {from, "key_axis"}, {"heads"});
    change(m);
    m.node("Squeeze", {"changed", "key_axis"}, {to});
  };
}

Change one(const std::string& type, const std::vector<std::string>& inputs, const std::string& made,
           const Attributes& attributes = {}) {
  return [=](ModelBuilder& m) { m.node(type, inputs, {made}, attributes); };
}

/// `second` behind `first`.
Change chain(const Change& first, const Change& second) {
  return [=](ModelBuilder& m) {
    first(m);
    second(m);
  };
}

Change number(const std::string& name, float item) {
  return [=](ModelBuilder& m) { m.weight(name, {}, {item}); };
}

/// Normalizes along the axis of one element.
void normalize_heads(ModelBuilder& m) {
  m.weight("one", {1}, {1}).int64s("order", {0, 2, 3, 1});
  m.node("Transpose", {"heads"}, {"last"}, {{"perm", Integers{0, 2, 3, 1}}});
  m.node("LayerNormalization", {"last", "one"}, {"even"});
  m.node("Transpose", {"even"}, {"changed"}, {{"perm", Integers{0, 3, 1, 2}}});
}

TEST(HiddenTokens, AreVisibleAgainBehindOperatorsThatUndoTheMask) {
  const Change to_truth = one("Cast", {"masked"}, "t", {{"to", truth}});
  const Change greatest = chain(one("ReduceMax", {"heads"}, "most", {{"axes", Integers{1}}}),
                                one("Sub", {"heads", "most"}, "changed"));
  for (const Change& scores : {
           one("Dropout", {"masked"}, "z"),
           with_heads("masked", "z", normalize_heads),
           with_heads("masked", "z", greatest),
           chain(to_truth, one("Cast", {"t"}, "z", {{"to", real}})),
           chain(number("null", 0), one("Sub", {"null", "masked"}, "z")),
           one("Sub", {"masked", "masked"}, "z"),
           one("Sub", {"masked", "added"}, "z"),
           chain(number("big", 20000), one("Add", {"masked", "big"}, "z")),
           chain(one("Neg", {"masked"}, "n"), one("Add", {"masked", "n"}, "z")),
           chain(number("tiny", 1e-5F), one("Mul", {"masked", "tiny"}, "z")),
       }) {
    expect_stop(transformer({.scores = scores}), "p' (Softmax)", unhidden);
  }
}

TEST(HiddenTokens, StayHiddenWhereSmallNumbersAreAdded) {
  const Change table = [](ModelBuilder& m) { m.weight("positions", {1, 1}); };
  for (const Change& scores : {
           chain(number("small", 5), one("Sub", {"masked", "small"}, "z")),
           chain(number("least", -60000), one("Max", {"masked", "least"}, "z")),
           chain(table, one("Add", {"masked", "positions"}, "z")),
           one("Add", {"masked", "s"}, "z"),
           one("Add", {"masked", "added"}, "z"),
           one("Add", {"masked", "masked"}, "z"),
       }) {
    expect_sparse({.scores = scores});
  }
}

TEST(HiddenTokens, HaveNoShareOnlyBehindOperatorsThatKeepZeros) {
  const Change over_heads =
      with_heads("p", "y", one("Softmax", {"heads"}, "changed", {{"axis", std::int64_t{1}}}));
  for (const Change& shares : {over_heads, with_heads("p", "y", normalize_heads)}) {
    expect_stop(transformer({.shares = shares}), "c' (MatMul)", mixed);
  }
  expect_sparse({.shares = one("Dropout", {"p"}, "y")});
}

TEST(HiddenTokens, NeedOwnKeysWithoutAMask) {
  const Form causal = {.has_mask = false, .is_causal = true};
  expect_sparse(causal);
  Form strict = causal;
  strict.is_later = "LessOrEqual";
  expect_stop(transformer(strict), "p' (Softmax)", unhidden);
  Form lowered = causal;
  lowered.scores = chain(number("lower", -20000), one("Add", {"masked", "lower"}, "z"));
  expect_stop(transformer(lowered), "p' (Softmax)", unhidden);
}

/// A token is hidden only if the first token is.
TEST(HiddenTokens, MustNotDependOnOtherElementsOfTheMask) {
  const auto first = [](ModelBuilder& m) {
    m.int64s("start", {0}).int64s("end", {1});
    m.node("Slice", {"hidden", "start", "end", "end"}, {"first"});
    m.node("Mul", {"hidden", "first"}, {"y"});
  };
  expect_stop(transformer({.hiding = first}), "p' (Softmax)", unhidden);
}

/// Also if the tokens are an output.
TEST(HiddenTokens, MustNotBeReadByASubgraph) {
  GraphData data = transformer().output("r").data();
  ValueId tokens;
  for (std::size_t i = 0; i < data.values.size(); ++i) {
    if (data.values[ValueId(i)].name == "r") tokens = ValueId(i);
  }
  data.nodes[NodeId(data.nodes.size() - 1)].captured_inputs = {tokens};
  const Sparse made = sparse(std::move(data));
  EXPECT_EQ(made.result.changed, 0U);
  ASSERT_EQ(made.result.stopped_by.size(), 1U);
  EXPECT_EQ(made.result.stopped_by[0].reason, "reads tokens in a subgraph");
}

TEST(HiddenTokens, MustNotReachTheChosenLoss) {
  const Sparse made = sparse(transformer().output("l"), "data", {"l", {}, {}});
  EXPECT_EQ(made.result.changed, 0U);
  ASSERT_EQ(made.result.stopped_by.size(), 1U);
  EXPECT_EQ(made.result.stopped_by[0].node, "node 'make_l' (MatMul)");
  EXPECT_EQ(made.result.stopped_by[0].reason, "makes tokens from which the backward pass starts");
  EXPECT_GT(sparse(transformer().output("l"), "data", {"loss", {}, {}}).result.changed, 0U);
}

/// Does something with keys [B, width, S], which cannot be packed: reads `t`, makes `u`.
Form with_turned_keys(const Change& change) {
  const Attributes turn = {{"perm", Integers{0, 2, 1}}};
  return {.keys = chain(chain(one("Transpose", {"k"}, "t", turn), change),
                        one("Transpose", {"u"}, "y", turn))};
}

TEST(RowsOfZeros, StopWhatDividesByThem) {
  const Attributes parts = {{"axes", Integers{1}}};
  const auto expect = [](const Change& change, const std::string& node) {
    expect_stop(transformer(with_turned_keys(change)), node, divides);
  };
  const Change sizes = chain(one("Abs", {"t"}, "a"), one("ReduceMax", {"a"}, "n", parts));
  const Change squares = chain(one("Mul", {"t", "t"}, "tt"), one("ReduceMean", {"tt"}, "n", parts));
  const Change divided = one("Div", {"t", "n"}, "u");
  expect(chain(sizes, divided), "u' (Div)");
  expect(chain(one("ReduceL2", {"t"}, "n", parts), divided), "n' (ReduceL2)");
  expect(chain(one("Abs", {"t"}, "a"), one("Log", {"a"}, "u")), "u' (Log)");
  expect(chain(chain(squares, one("Sqrt", {"n"}, "root")), one("Div", {"t", "root"}, "u")),
         "root' (Sqrt)");
  expect(chain(number("half", 0.5F), one("Pow", {"t", "half"}, "u")), "u' (Pow)");
  // Packed rows make the divisor, so that it is 0 for left out tokens, whatever was added to it.
  const auto packed_divisor = [](ModelBuilder& m) {
    m.weight("more", {}, {0.1F}).node("Mul", {"k", "k"}, {"kk"});
    m.node("ReduceMean", {"kk"}, {"n"}, {{"axes", Integers{2}}}).node("Add", {"n", "more"}, {"e"});
    for (const auto& [from, to] : {std::pair("e", "te"), std::pair("k", "t")}) {
      m.node("Transpose", {from}, {to}, {{"perm", Integers{0, 2, 1}}});
    }
    m.node("Div", {"t", "te"}, {"u"});
    m.node("Transpose", {"u"}, {"y"}, {{"perm", Integers{0, 2, 1}}});
  };
  expect_stop(transformer({.keys = packed_divisor}), "u' (Div)", divides);
  // Rows of kept tokens are as in the step with all tokens.
  expect_sparse({.keys = chain(one("Abs", {"k"}, "a"), one("Log", {"a"}, "y"))});
}

TEST(RowsOfZeros, AllowDivisionsByPositiveNumbers) {
  const auto root_mean_square = [](ModelBuilder& m) {
    m.weight("two", {}, {2}).weight("epsilon", {}, {1e-6F});
    m.node("Pow", {"t", "two"}, {"tt"}).node("ReduceMean", {"tt"}, {"n"}, {{"axes", Integers{1}}});
    m.node("Add", {"n", "epsilon"}, {"more"}).node("Sqrt", {"more"}, {"root"});
    m.node("Reciprocal", {"root"}, {"share"}).node("Mul", {"t", "share"}, {"u"});
  };
  expect_sparse(with_turned_keys(root_mean_square));
  const auto clipped = [](ModelBuilder& m) {
    m.weight("epsilon", {}, {1e-6F});
    m.node("ReduceL1", {"t"}, {"n"}, {{"axes", Integers{1}}});
    m.node("Clip", {"n", "epsilon"}, {"more"}).node("Div", {"t", "more"}, {"u"});
  };
  expect_sparse(with_turned_keys(clipped));
}

/// A view of rows that are not put back has no zeros, even if packed rows read it, too.
TEST(RowsOfZeros, AreNotThoseOfAViewThatReadsAllRows) {
  const auto divisor = [](ModelBuilder& m) {
    m.weight("more", {}, {0.1F}).int64s("last", {2});
    m.node("Mul", {"k", "k"}, {"kk"})
        .node("Transpose", {"kk"}, {"kt2"}, {{"perm", Integers{0, 2, 1}}});
    m.node("ReduceMean", {"kt2"}, {"n"}, {{"axes", Integers{1}}}).node("Add", {"n", "more"}, {"e"});
    m.node("Transpose", {"e"}, {"column"}, {{"perm", Integers{0, 2, 1}}});
    m.node("Div", {"k", "column"}, {"d"});
    m.node("Squeeze", {"column", "last"}, {"row"}).node("Unsqueeze", {"row", "key_axis"}, {"rows"});
    m.node("Transpose", {"d"}, {"t"}, {{"perm", Integers{0, 2, 1}}})
        .node("Div", {"t", "rows"}, {"u"});
    m.node("Transpose", {"u"}, {"y"}, {{"perm", Integers{0, 2, 1}}});
  };
  expect_sparse({.keys = divisor});
}

/// A sign that a long chain hides is found again for a node inside of the chain.
TEST(RowsOfZeros, AreLookedForAgainBehindTheLongestRecursion) {
  const auto chain = [](ModelBuilder& m) {
    m.weight("more", {}, {0.1F});
    m.node("Mul", {"t", "t"}, {"tt"}).node("ReduceMean", {"tt"}, {"n"}, {{"axes", Integers{1}}});
    m.node("Add", {"n", "more"}, {"e0"});
    for (int i = 0; i < 80; ++i) {
      m.node("Add", {"e" + std::to_string(i), "more"}, {"e" + std::to_string(i + 1)});
    }
    m.node("Max", {"e80", "more"}, {"most"}).node("Div", {"t", "most"}, {"first"});
    m.node("Div", {"first", "e30"}, {"u"});
  };
  expect_sparse(with_turned_keys(chain));
}

/// [batch * heads, positions, part] are other rows than those of the tokens.
TEST(RowsOfHeads, AreNotPacked) {
  const auto keys = [](ModelBuilder& m) {
    m.int64s("divided", {0, 0, 2, 2}).int64s("stacked", {-1, 0, 2}).weight("w2", {2, 2});
    m.int64s("unstacked", {-1, 2, 0, 2}).int64s("joined", {0, 0, width}).int64s("rest", {0, 0, -1});
    m.node("Reshape", {"k", "divided"}, {"parts"});
    m.node("Transpose", {"parts"}, {"turned"}, {{"perm", Integers{0, 2, 1, 3}}});
    m.node("Shape", {"k"}, {"all"}).int64s("at", {1}).node("Gather", {"all", "at"}, {"length"});
    m.int64s("any", {-1}).int64s("two_parts", {2});
    m.node("Concat", {"any", "length", "two_parts"}, {"stack"}, {{"axis", std::int64_t{0}}});
    m.node("Reshape", {"turned", "stack"}, {"heads"}).node("MatMul", {"heads", "w2"}, {"mixed"});
    m.node("Concat", {"any", "two_parts", "length", "two_parts"}, {"unstack"},
           {{"axis", std::int64_t{0}}});
    m.node("Reshape", {"mixed", "unstack"}, {"apart"});
    m.node("Transpose", {"apart"}, {"back"}, {{"perm", Integers{0, 2, 1, 3}}});
    m.node("Reshape", {"back", "joined"}, {"y"});
  };
  const Sparse made = sparse(transformer({.keys = keys}));
  EXPECT_GT(made.result.changed, 0U);
  for (const Node& node : made.graph.nodes()) {
    if (node.op_type != "MatMul" || made.graph.value(node.inputs[1]).name != "w2") continue;
    EXPECT_EQ(made.graph.value(node.inputs[0]).type.shape->size(), 3U);
  }
}

TEST(SumsOfProducts, ReadRowsOfKeptTokens) {
  const auto middle = [](ModelBuilder& m) {
    m.int64s("merged", {-1, width}).input("extra", {"B", "S", width}).weight("w4", {width, width});
    m.node("Reshape", {"r", "merged"}, {"rows"}).node("Reshape", {"extra", "merged"}, {"sum"});
    m.node("Gemm", {"rows", "w4", "sum"}, {"g"}).node("Shape", {"r"}, {"all"});
    m.node("Reshape", {"g", "all"}, {"m"});
  };
  const Sparse made = sparse(transformer({.middle = middle}));
  EXPECT_TRUE(made.result.stopped_by.empty());
  EXPECT_EQ(count(made.graph, "Gemm"), 1U);
  for (const Node& node : made.graph.nodes()) {
    if (node.op_type != "Gemm") continue;
    EXPECT_EQ(made.graph.value(node.inputs[2]).type.shape,
              made.graph.value(node.inputs[0]).type.shape);
  }
}

}  // namespace hidden_tokens_test
}  // namespace stashscope
