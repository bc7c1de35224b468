// Masks and labels with the wanted number of kept tokens.

#include "core/run/step/padded_inputs.h"

#include <gtest/gtest.h>

#include "core/graph/packed_tokens.h"

namespace stashscope {
namespace padded_inputs_test {

struct Inputs {
  Graph graph;
  ValueId mask;
  ValueId labels;
};

/// A step that keeps some of the tokens [2, 4].
struct Form {
  bool has_mask = true;
  std::int64_t ignored = -100;
  bool next_is_label = false;
  std::int64_t kept = 3;
};

Inputs step(const Form& form) {
  GraphData data;
  const ValueId mask = data.add_value("mask", {ElementType::float64, Shape{2, 4}, {}});
  const ValueId labels = data.add_value("labels", {ElementType::int64, Shape{2, 4}, {}});
  const ValueId found = data.add_value("found", {ElementType::int64, Shape{1, form.kept}, {}});
  data.inputs = {mask, labels, found};
  data.packed_tokens =
      std::make_shared<const PackedTokens>(PackedTokens{.mask = form.has_mask ? mask : ValueId(),
                                                        .labels = labels,
                                                        .ignored_label = form.ignored,
                                                        .next_is_label = form.next_is_label,
                                                        .found = found,
                                                        .density = 1,
                                                        .most = 8});
  return {Graph(std::move(data)), mask, labels};
}

std::optional<Integers> padded_labels(const Form& form, const Integers& random) {
  const Inputs made = step(form);
  const Tensor data = Tensor::of_integers(ElementType::int64, {2, 4}, random);
  return with_padding(made.graph, {}, made.labels, data).integers();
}

TEST(PaddedInputs, MakeMasksOfDoubles) {
  const Inputs made = step({});
  const Tensor data = Tensor::of_integers(ElementType::float64, {2, 4}, Integers(8, 7));
  EXPECT_EQ(with_padding(made.graph, {}, made.mask, data).reals(),
            (std::vector<double>{1, 0, 0, 0, 1, 1, 0, 0}));
}

TEST(PaddedInputs, IgnoreNoLabelOfAKeptTokenByChance) {
  EXPECT_EQ(padded_labels({.has_mask = false, .ignored = 0}, {0, 5, 0, 6, 7, 0, 0, 8}),
            (Integers{1, 0, 0, 0, 7, 1, 0, 0}));
}

/// The last of n kept rows reads the label of the next token. The first token is no label.
TEST(PaddedInputs, GiveTheLastKeptRowTheLabelOfTheNextToken) {
  EXPECT_EQ(padded_labels({.has_mask = false, .next_is_label = true}, {1, 2, 3, 4, 5, 6, 7, 8}),
            (Integers{1, 2, -100, -100, 5, 6, 7, -100}));
  EXPECT_EQ(padded_labels({.has_mask = false, .next_is_label = true, .kept = 6},
                          {1, 2, 3, 4, 5, 6, 7, 8}),
            (Integers{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(PaddedInputs, NeedAMaskOrLabels) {
  const Inputs made = step({});
  EXPECT_TRUE(makes_padding(made.graph, {}));
  EXPECT_FALSE(makes_padding(made.graph, {{"mask", Tensor::int64_scalar(1)}}));
  EXPECT_FALSE(makes_padding(made.graph, {{"labels", Tensor::int64_scalar(1)}}));
}

}  // namespace padded_inputs_test
}  // namespace stashscope
