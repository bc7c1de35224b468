// Gradients of sampling at the points of a grid, and of such grids.

#include "tests/core/run/cpu/kernels/element_types.h"

namespace stashscope {
namespace grid_gradients_test {

using namespace testing_run;  // NOLINT: the test's own helpers

using Dims = std::vector<std::int64_t>;

class GridGradient : public testing::TestWithParam<GradientCase> {};

TEST_P(GridGradient, EqualsTheSlope) { check_gradients(GetParam()); }

/// All modes and paddings. The points reach beyond the data, where the paddings differ.
std::vector<GradientCase> samplings(const std::string& name, const Dims& data, const Dims& grid) {
  std::vector<GradientCase> cases;
  for (const char* mode : {"nearest", "linear", "cubic"}) {
    for (const char* padding : {"zeros", "border", "reflection"}) {
      for (const std::int64_t aligned : {0, 1}) {
        cases.push_back({.name = name + "_" + mode + "_" + padding + std::to_string(aligned),
                         .type = "GridSample",
                         .operands = {parameter(data), parameter(grid, -1.7, 1.7)},
                         .attributes = {{"mode", std::string(mode)},
                                        {"padding_mode", std::string(padding)},
                                        {"align_corners", aligned}},
                         .opset = 20});
      }
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(TwoAxes, GridGradient,
                         testing::ValuesIn(samplings("Plane", {2, 2, 3, 4}, {2, 2, 3, 2})),
                         case_name);
INSTANTIATE_TEST_SUITE_P(ThreeAxes, GridGradient,
                         testing::ValuesIn(samplings("Space", {1, 1, 3, 2, 4}, {1, 1, 2, 2, 3})),
                         case_name);

GradientCase affine(std::string name, Dims theta, std::vector<std::int64_t> size,
                    std::int64_t aligned) {
  return {.name = std::move(name),
          .type = "AffineGrid",
          .operands = {parameter(std::move(theta)), numbers_operand(size)},
          .attributes = {{"align_corners", aligned}},
          .opset = 20};
}

INSTANTIATE_TEST_SUITE_P(AffineGrid, GridGradient,
                         testing::Values(affine("Plane", {2, 2, 3}, {2, 1, 3, 4}, 0),
                                         affine("PlaneAligned", {2, 2, 3}, {2, 1, 3, 4}, 1),
                                         affine("Space", {1, 3, 4}, {1, 1, 2, 3, 2}, 0),
                                         affine("SpaceOfOnePosition", {1, 3, 4}, {1, 1, 2, 1, 2},
                                                1)),
                         case_name);

std::vector<double> sampled(const std::vector<double>& line, double coordinate,
                            const Attributes& attributes) {
  const auto size = static_cast<std::int64_t>(line.size());
  return result_of({"GridSample",
                    {doubles({1, 1, 1, size}, line), doubles({1, 1, 1, 2}, {coordinate, 0})},
                    attributes,
                    20});
}

TEST(GridSample, ReadsBetweenPositions) {
  EXPECT_EQ(sampled({1, 3, 7}, 0.5, {{"align_corners", std::int64_t{1}}}), std::vector<double>{5});
  EXPECT_EQ(sampled({1, 3, 7}, 0.5, {}), std::vector<double>{6});
}

TEST(GridSample, PaddingFillsWhatLiesOutside) {
  const auto padded = [](const char* padding, double coordinate) {
    return sampled({1, 3, 7}, coordinate,
                   {{"padding_mode", std::string(padding)}, {"align_corners", std::int64_t{1}}});
  };
  EXPECT_EQ(padded("zeros", 1.5), std::vector<double>{3.5});
  EXPECT_EQ(padded("border", 1.5), std::vector<double>{7});
  EXPECT_EQ(padded("reflection", 1.5), std::vector<double>{5});
  EXPECT_EQ(padded("reflection", -3), std::vector<double>{7});
}

TEST(GridSample, OfNoNumberIsFarOutside) {
  const double nan = std::nan("");
  EXPECT_EQ(sampled({1, 3}, nan, {}), std::vector<double>{0});
  EXPECT_EQ(sampled({1, 3}, 1e300, {{"padding_mode", std::string("reflection")}}).size(), 1U);
}

}  // namespace grid_gradients_test
}  // namespace stashscope
