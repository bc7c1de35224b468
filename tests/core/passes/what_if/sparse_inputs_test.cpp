// Which models leave their padding out, what stops others, and what becomes of the nodes.

#include "core/passes/what_if/sparse_inputs.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/graph/packed_tokens.h"
#include "tests/core/passes/what_if/sparse/small_transformer.h"
#include "tests/support/refusal.h"
#include "tests/support/shape_text.h"

namespace stashscope {
namespace sparse_inputs_test {

using namespace sparse_test;
using test::count;
using test::ModelBuilder;
using test::shape_text;

/// The only node of a type.
const Node& only(const Sparse& made, const std::string& type) {
  EXPECT_EQ(count(made.graph, type), 1U) << type;
  for (const Node& node : made.graph.nodes()) {
    if (node.op_type == type) return node;
  }
  throw std::runtime_error("no " + type);
}

const std::string kept = "valid_tokens_output_dim1";

TEST(SparseInputs, WorkOnTheRowsOfKeptTokens) {
  const Sparse made = sparse(transformer());
  EXPECT_TRUE(made.result.stopped_by.empty());
  // The embedding, four products in and around the attention, the addition, the normalization, the
  // product with the vocabulary, and the loss.
  EXPECT_EQ(made.result.changed, 9U);
  EXPECT_EQ(made.result.found, 9U);
  EXPECT_EQ(count(made.graph, "PadAndUnflatten"), 3U) << "queries, keys and values";
  EXPECT_EQ(count(made.graph, "FlattenAndUnpad"), 2U) << "ids and the result of the attention";
  EXPECT_EQ(shape_text(made.graph, only(made, "Softmax").inputs[0]), "B, S, S");
  EXPECT_EQ(shape_text(made.graph, only(made, "LayerNormalization").outputs[0]), kept + ", 4");
  const Node& loss = only(made, "SoftmaxCrossEntropyLoss");
  EXPECT_EQ(shape_text(made.graph, loss.inputs[0]), kept + ", 20");
  EXPECT_EQ(shape_text(made.graph, loss.inputs[1]), kept);
  ASSERT_NE(made.graph.data().packed_tokens, nullptr);
  const PackedTokens& packed = *made.graph.data().packed_tokens;
  EXPECT_EQ(made.graph.value(packed.mask).name, "mask");
  EXPECT_EQ(made.graph.value(packed.labels).name, "labels");
  EXPECT_EQ(packed.ignored_label, -100);
}

TEST(SparseInputs, HaveAnExpectedNumberOfTokens) {
  const Sparse made = sparse(transformer(), "0.3");
  ASSERT_NE(made.graph.data().packed_tokens, nullptr);
  EXPECT_EQ(expected_kept_tokens(made.graph, 100, {}), 30);
  EXPECT_EQ(expected_kept_tokens(made.graph, 7, {}), 3) << "rounded up";
  EXPECT_EQ(expected_kept_tokens(sparse(transformer()).graph, 7, {}), 7) << "without a density";
  ASSERT_EQ(made.graph.data().data_dependent.size(), 1U);
  EXPECT_EQ(to_string(*made.graph.data().data_dependent[0].at_most, made.graph.symbols()), "B*S");
}

TEST(SparseInputs, NeedAMaskThatHidesWhatIsLeftOut) {
  const std::string unhidden = "reads scores of tokens that no mask hides";
  expect_stop(transformer({.has_mask = false}), "p' (Softmax)", unhidden);
  expect_stop(transformer({.mask_axes = "row_axis"}), "p' (Softmax)", unhidden);
  expect_stop(transformer({.penalty = -5}), "p' (Softmax)", unhidden);
  expect_stop(transformer({.inverts_mask = false}), "p' (Softmax)", unhidden);
}

TEST(SparseInputs, NeedALossThatIgnoresLabels) {
  const std::string counts = "reads the label of every token";
  expect_stop(transformer({.loss = {}}), "loss' (SoftmaxCrossEntropyLoss)", counts);
  expect_stop(transformer({.loss = {{"ignore_index", std::int64_t{-100}},
                                    {"reduction", std::string("none")}}}),
              "loss' (SoftmaxCrossEntropyLoss)", counts);
  const auto two_losses = [](ModelBuilder& m) {
    m.node("Reshape", {"l", "flat"}, {"scores"}).node("Reshape", {"labels", "list"}, {"targets"});
    for (const char* name : {"first", "second"}) {
      m.node("SoftmaxCrossEntropyLoss", {"scores", "targets"}, {name},
             {{"ignore_index", std::int64_t{-100}}});
      m.output(name);
    }
  };
  expect_stop(transformer({.end = two_losses}), "second' (SoftmaxCrossEntropyLoss)",
              "is a second loss over tokens");
  const auto no_loss = [](ModelBuilder& m) { m.output("l"); };
  expect_stop(transformer({.end = no_loss}), "x' (Gather)",
              "looks up tokens that no loss with labels reads");
}

TEST(SparseInputs, AreStoppedByWhatMixesTokens) {
  const auto mean = [](ModelBuilder& m) {
    m.node("ReduceMean", {"r"}, {"mean"}, {{"axes", Integers{1}}});
    m.node("Sub", {"r", "mean"}, {"m"});
  };
  expect_stop(transformer({.middle = mean}), "mean' (ReduceMean)",
              "works along the axis of the tokens");
  const auto sums = [](ModelBuilder& m) {
    m.constant("axis", Tensor::int64_scalar(1)).node("CumSum", {"r", "axis"}, {"m"});
  };
  expect_stop(transformer({.middle = sums}), "m' (CumSum)",
              "is an operator whose effect on padding is not known");
  const auto first_token = [](ModelBuilder& m) {
    m.constant("first", Tensor::int64_scalar(0));
    m.node("Gather", {"r", "first"}, {"pooled"}, {{"axis", std::int64_t{1}}});
    m.node("Unsqueeze", {"pooled", "key_axis"}, {"again"}).node("Add", {"r", "again"}, {"m"});
  };
  expect_stop(transformer({.middle = first_token}), "pooled' (Gather)",
              "works along the axis of the tokens");
  const auto transposed = [](ModelBuilder& m) {
    m.node("Transpose", {"r"}, {"t"}, {{"perm", Integers{1, 0, 2}}});
    m.node("Reshape", {"t", "by_rows"}, {"m"}).int64s("by_rows", {0, -1, width});
    m.node("Reshape", {"t", "merged"}, {"other"}).int64s("merged", {-1, width});
  };
  expect_stop(transformer({.middle = transposed}), "other' (Reshape)",
              "mixes the axes of the tokens with others");
}

TEST(SparseInputs, ReadOperandsAtThePlacesOfTheirRows) {
  const auto start = [](ModelBuilder& m) {
    m.weight("table_of_types", {2, width}).input("types", {"B", "S"}, ElementType::int64);
    m.weight("bias", {width}).weight("one_bias", {1, 1, width});
    m.weight("positions", {64, width}).int64s("zero", {0});
    m.node("Shape", {"ids"}, {"dims"}).int64s("one", {1}).int64s("two", {2});
    m.node("Slice", {"dims", "one", "two"}, {"length"});
    m.node("Slice", {"positions", "zero", "length", "zero"}, {"table_rows"});
    m.node("Unsqueeze", {"table_rows", "zero"}, {"position_rows"});
    m.input("weights", {"B", "S"}).node("Unsqueeze", {"weights", "two"}, {"weight_of_each"});
    m.node("Gather", {"table_of_types", "types"}, {"t"}).node("Add", {"e", "t"}, {"x1"});
    m.node("Add", {"x1", "bias"}, {"x2"}).node("Add", {"x2", "one_bias"}, {"x3"});
    m.node("Add", {"x3", "position_rows"}, {"x4"}).node("Add", {"x4", "table_rows"}, {"x5"});
    m.node("Mul", {"x5", "weight_of_each"}, {"x"});
  };
  const Sparse made = sparse(transformer({.start = start}));
  EXPECT_TRUE(made.result.stopped_by.empty());
  EXPECT_EQ(made.result.changed, 16U) << "also an embedding, five additions and a product";
  EXPECT_EQ(count(made.graph, "FlattenAndUnpad"), 4U) << "also types and weights";
  std::size_t additions = 0;
  for (const Node& node : made.graph.nodes()) {
    if (node.op_type != "Add" || node.name == "make_masked") continue;
    EXPECT_EQ(shape_text(made.graph, node.outputs[0]), kept + ", 4") << node.name;
    ++additions;
  }
  EXPECT_EQ(additions, 6U);
}

TEST(SparseInputs, PackAnOperandOnceForAllItsReaders) {
  const auto start = [](ModelBuilder& m) {
    m.input("weights", {"B", "S", width});
    m.node("Mul", {"e", "weights"}, {"x1"}).node("Add", {"x1", "weights"}, {"x"});
  };
  EXPECT_EQ(count(sparse(transformer({.start = start})).graph, "FlattenAndUnpad"), 3U)
      << "ids, the result of the attention, weights";
}

TEST(SparseInputs, ReadTheDimsOfTheIdsAndPutOutputsBack) {
  const auto middle = [](ModelBuilder& m) {
    m.node("Shape", {"r"}, {"dims"}).node("ConstantOfShape", {"dims"}, {"zeros"});
    m.node("Add", {"r", "zeros"}, {"m"}).output("m");
  };
  const Sparse made = sparse(transformer({.middle = middle}));
  EXPECT_EQ(count(made.graph, "PadAndUnflatten"), 4U);
  const ValueId output = made.graph.data().outputs.at(0);
  EXPECT_EQ(made.graph.value(output).name, "m");
  EXPECT_EQ(shape_text(made.graph, output), "B, S, 4");
  EXPECT_EQ(made.graph.node(made.graph.value(output).producer).op_type, "PadAndUnflatten");
  EXPECT_EQ(shape_text(made.graph, only(made, "ConstantOfShape").outputs[0]), "B, S, 4");
}

/// The exporters' causal language models: the last position has no label.
/// @param add adds nodes that make `y` from the scores `l`
/// @param cut the scores without the last position whose loss is taken
ModelBuilder shifted(const std::function<void(ModelBuilder&)>& add, const std::string& cut,
                     Form form = {}) {
  form.end = [&](ModelBuilder& m) {
    m.int64s("zero", {0}).int64s("one", {1}).int64s("last", {-1});
    m.int64s("most", {std::numeric_limits<std::int64_t>::max()});
    add(m);
    m.node("Slice", {"y", "zero", "last", "one"}, {"cut"}).node("Neg", {"cut"}, {"negative"});
    m.node("Reshape", {cut, "flat"}, {"z"});
    m.node("Slice", {"labels", "one", "most", "one"}, {"next"});
    m.node("Reshape", {"next", "last"}, {"targets"});
    m.node("SoftmaxCrossEntropyLoss", {"z", "targets"}, {"loss"},
           {{"ignore_index", std::int64_t{-100}}});
    m.output("loss");
  };
  return transformer(form);
}

void same_scores(ModelBuilder& m) { m.node("Identity", {"l"}, {"y"}); }

/// Scores that are arranged so that they cannot be packed on the way.
void scores_there_and_back(ModelBuilder& m) {
  m.node("Transpose", {"l"}, {"there"}, {{"perm", Integers{1, 0, 2}}});
  m.node("Transpose", {"there"}, {"y"}, {{"perm", Integers{1, 0, 2}}});
}

TEST(SparseInputs, GiveTheLastPositionTheIgnoredLabel) {
  for (const Sparse& made :
       {sparse(shifted(same_scores, "cut")), sparse(shifted(same_scores, "negative")),
        sparse(shifted(scores_there_and_back, "cut"))}) {
    EXPECT_TRUE(made.result.stopped_by.empty());
    const Node& loss = only(made, "SoftmaxCrossEntropyLoss");
    EXPECT_EQ(shape_text(made.graph, loss.inputs[0]), kept + ", 20");
    EXPECT_EQ(shape_text(made.graph, only(made, "Pad").outputs[0]), "B, S");
    std::size_t packed = 0;
    for (const Node& node : made.graph.nodes()) {
      if (node.op_type != "FlattenAndUnpad") continue;
      EXPECT_TRUE(shape_text(made.graph, node.inputs[0]).starts_with("B, S")) << node.name;
      EXPECT_FALSE(shape_text(made.graph, node.inputs[0]).starts_with("B, S -")) << node.name;
      ++packed;
    }
    EXPECT_GE(packed, 2U);
  }
  expect_stop(shifted(scores_there_and_back, "negative"), "loss' (SoftmaxCrossEntropyLoss)",
              "reads tokens without the last position");
}

TEST(SparseInputs, KeepOutputsWithoutTheLastPosition) {
  const Sparse made = sparse(shifted(same_scores, "negative").output("negative"));
  EXPECT_TRUE(made.result.stopped_by.empty());
  const ValueId output = made.graph.data().outputs.at(1);
  EXPECT_EQ(made.graph.value(output).name, "negative");
  EXPECT_EQ(shape_text(made.graph, output), "B, S - 1, 20");
}

/// Without a mask, tokens after the last label of a sequence are left out if attention is causal.
TEST(SparseInputs, EndAtTheLastLabelOfCausalModels) {
  const Sparse made = sparse(transformer({.has_mask = false, .is_causal = true}));
  EXPECT_EQ(made.result.changed, 9U);
  EXPECT_EQ(count(made.graph, "CumSum"), 1U);
  EXPECT_FALSE(made.graph.data().packed_tokens->mask.valid());
}

TEST(SparseInputs, KeepAtMostTheTokensThatMayHaveALabel) {
  const auto most = [](const ModelBuilder& model) {
    const Sparse made = sparse(model);
    return to_string(made.graph.data().packed_tokens->most, made.graph.symbols());
  };
  EXPECT_EQ(most(transformer({.has_mask = false, .is_causal = true})), "B*S");
  EXPECT_EQ(most(shifted(same_scores, "cut")), "B*S") << "a mask may show the last position";
  EXPECT_EQ(most(shifted(same_scores, "cut", {.has_mask = false, .is_causal = true})), "B*(S - 1)");
}

/// A model whose labels are made by nodes. @param add makes `chosen`
ModelBuilder with_made_labels(const std::function<void(ModelBuilder&)>& add,
                              std::int64_t ignored = -100) {
  return transformer({.end = [&](ModelBuilder& m) {
    add(m);
    m.node("Reshape", {"l", "flat"}, {"scores"}).node("Reshape", {"chosen", "list"}, {"targets"});
    m.node("SoftmaxCrossEntropyLoss", {"scores", "targets"}, {"loss"}, {{"ignore_index", ignored}});
    m.output("loss");
  }});
}

/// Adds `small_labels`: labels of a type without the number -100, as 64-bit integers.
void add_small_labels(ModelBuilder& m, const std::string& made) {
  m.input("small", {"B", "S"}, ElementType::uint8);
  m.node("Cast", {"small"}, {made}, {{"to", std::int64_t{7}}});
}

/// Random data has no ignored labels among ids, which must be rows of a table, and among numbers of
/// a type that lacks the ignored label.
TEST(SparseInputs, FindLabelsBehindAChoice) {
  const auto labels = [](const std::string& source) {
    const Sparse made = sparse(with_made_labels([&](ModelBuilder& m) {
      add_small_labels(m, "small_labels");
      m.constant("none", Tensor::int64_scalar(-100));
      m.node("Cast", {"mask"}, {"has_label"}, {{"to", std::int64_t{9}}});
      m.node("Where", {"has_label", source, "none"}, {"chosen"});
    }));
    EXPECT_TRUE(made.result.stopped_by.empty());
    const ValueId found = made.graph.data().packed_tokens->labels;
    return found.valid() ? made.graph.value(found).name : "";
  };
  EXPECT_EQ(labels("labels"), "labels");
  EXPECT_EQ(labels("ids"), "");
  EXPECT_EQ(labels("small_labels"), "");
}

TEST(SparseInputs, NeedLabelsOfAnInput) {
  const auto expect = [](const std::function<void(ModelBuilder&)>& add, const std::string& reason) {
    expect_stop(with_made_labels(add), "loss' (SoftmaxCrossEntropyLoss)", reason);
  };
  const std::string unknown = "reads labels that are no input of the model";
  expect([](ModelBuilder& m) { m.node("Sub", {"labels", "labels"}, {"chosen"}); }, unknown);
  expect(
      [](ModelBuilder& m) {
        m.node("Cast", {"mask"}, {"flag"}, {{"to", std::int64_t{9}}});
        m.node("Where", {"flag", "labels", "ids"}, {"chosen"});
      },
      unknown);
}

TEST(SparseInputs, NeedLabelsThatMayBeIgnored) {
  const std::string reason = "reads labels of a type that lacks the ignored label";
  const std::string loss = "loss' (SoftmaxCrossEntropyLoss)";
  expect_stop(with_made_labels([](ModelBuilder& m) { add_small_labels(m, "chosen"); }), loss,
              reason);
  const auto in_32_bits = [](ModelBuilder& m) {
    m.node("Cast", {"labels"}, {"chosen"}, {{"to", std::int64_t{6}}});
  };
  expect_stop(with_made_labels(in_32_bits, std::numeric_limits<std::int64_t>::min()), loss, reason);
  EXPECT_TRUE(sparse(with_made_labels(in_32_bits)).result.stopped_by.empty());
  const auto padded = [](ModelBuilder& m) {
    add_small_labels(m, "wide");
    m.int64s("start", {1}).int64s("most", {1 << 30}).int64s("along", {1});
    m.int64s("last", {0, 0, 0, 1}).constant("none", Tensor::int64_scalar(-100));
    m.node("Slice", {"wide", "start", "most", "along"}, {"next"});
    m.node("Pad", {"next", "last", "none"}, {"chosen"});
  };
  EXPECT_TRUE(sparse(with_made_labels(padded)).result.stopped_by.empty());
}

/// Each choice reads the one before twice.
TEST(SparseInputs, CopyWhatMakesLabelsOnce) {
  const auto choices = [](std::size_t count) {
    return with_made_labels([count](ModelBuilder& m) {
      m.node("Cast", {"mask"}, {"flag"}, {{"to", std::int64_t{9}}});
      std::string last = "labels";
      for (std::size_t i = 0; i < count; ++i) {
        const std::string next = i + 1 == count ? "chosen" : "choice" + std::to_string(i);
        m.node("Where", {"flag", last, last}, {next});
        last = next;
      }
    });
  };
  const Sparse made = sparse(choices(60));
  EXPECT_TRUE(made.result.stopped_by.empty());
  EXPECT_EQ(count(made.graph, "Where"), 60U);
  expect_stop(choices(300), "loss' (SoftmaxCrossEntropyLoss)",
              "reads labels that more than 256 nodes make");
}

TEST(SparseInputs, LeaveModelsWithoutIdsAlone) {
  const Sparse made = sparse(test::perceptron());
  EXPECT_EQ(made.result.found + made.result.stopped_by.size(), 0U);
}

TEST(SparseInputs, HaveADensityAboveZeroAndAtMostOne) {
  EXPECT_EQ(sparse_density(""), "data");
  EXPECT_EQ(sparse_density("data"), "data");
  EXPECT_EQ(sparse_density("0.60"), "0.6");
  EXPECT_EQ(sparse_density("1.0"), "1");
  EXPECT_EQ(sparse_density("1"), "1");
  EXPECT_EQ(sparse_density("01"), "1");
  EXPECT_EQ(sparse_density("00.50"), "0.5");
  for (const char* wrong : {"0", "0.0", "1.01", "2", "-0.5", "0.5x", "half", ".5", "1e-1",
                            "0.0000000001", "0.5.5", " 0.5"}) {
    const std::string message = test::refusal(ErrorKind::usage, [&] { sparse_density(wrong); });
    EXPECT_TRUE(message.starts_with("sparse=" + std::string(wrong))) << message;
  }
  EXPECT_EQ(sparse_words("data"), "Sparse inputs");
  EXPECT_EQ(sparse_words("0.6"), "Sparse inputs of density 0.6");
}

}  // namespace sparse_inputs_test
}  // namespace stashscope
