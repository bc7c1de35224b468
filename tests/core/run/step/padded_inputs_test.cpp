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

/// A step that keeps three of the tokens [2, 4].
Inputs step(bool has_mask, std::int64_t ignored) {
  GraphData data;
  const ValueId mask = data.add_value("mask", {ElementType::float64, Shape{2, 4}, {}});
  const ValueId labels = data.add_value("labels", {ElementType::int64, Shape{2, 4}, {}});
  const ValueId places = data.add_value("places", {ElementType::int64, Shape{1, 3}, {}});
  data.inputs = {mask, labels, places};
  data.packed_tokens = std::make_shared<const PackedTokens>(
      PackedTokens{has_mask ? mask : ValueId(), labels, ignored, false, places, 1, 8});
  return {Graph(std::move(data)), mask, labels};
}

TEST(PaddedInputs, MakeMasksOfDoubles) {
  const Inputs made = step(true, -100);
  const Tensor data(ElementType::float64, {2, 4}, std::string(64, 'x'));
  EXPECT_EQ(with_padding(made.graph, {}, made.mask, data).reals(),
            (std::vector<double>{1, 0, 0, 0, 1, 1, 0, 0}));
}

TEST(PaddedInputs, IgnoreNoLabelOfAKeptTokenByChance) {
  const Inputs made = step(false, 0);
  const std::int64_t random[] = {0, 5, 0, 6, 7, 0, 0, 8};
  const Tensor data(ElementType::int64, {2, 4},
                    std::string(reinterpret_cast<const char*>(random), sizeof random));
  EXPECT_EQ(with_padding(made.graph, {}, made.labels, data).integers(),
            (Integers{1, 0, 0, 0, 7, 1, 0, 0}));
}

TEST(PaddedInputs, NeedAMaskOrLabels) {
  Inputs made = step(true, -100);
  EXPECT_TRUE(makes_padding(made.graph, {}));
  EXPECT_FALSE(makes_padding(made.graph, {{"mask", Tensor::int64_scalar(1)}}));
  EXPECT_FALSE(makes_padding(made.graph, {{"labels", Tensor::int64_scalar(1)}}));
}

}  // namespace padded_inputs_test
}  // namespace stashscope
