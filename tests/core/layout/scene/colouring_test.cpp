#include "core/layout/scene/colouring.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/study/step/plan_effects.h"
#include "tests/core/layout/scene/drawn_step.h"
#include "tests/support/xml.h"

namespace stashscope::layout {
namespace colouring_test {

constexpr std::array<Colouring, colourings> all_colourings = {
    Colouring::lifetime, Colouring::peak_bytes, Colouring::stash, Colouring::time};

TEST(Colouring, StripsAddUpToTheWholeStrip) {
  for (const bool open : {false, true}) {
    const test::DrawnStep step(test::blocks(3), 1, open);
    for (const Colouring colouring : all_colourings) {
      std::size_t coloured = 0;
      for (const DrawnBox& box : step.drawing.boxes) {
        const auto strip = strip_of(step.drawing, box, colouring);
        EXPECT_EQ(strip.empty(), !main_colour(step.drawing, box, colouring).has_value());
        if (strip.empty()) continue;
        ++coloured;
        double sum = 0;
        for (const ColourShare& part : strip) sum += part.share;
        EXPECT_NEAR(sum, 1, 1e-9);
      }
      EXPECT_GT(coloured, 0U);
    }
  }
}

TEST(Colouring, BytesAtThePeakOfAllBoxesAreWhatTheStepMakes) {
  const test::DrawnStep step(test::blocks(4), 0, false);
  const Timeline& timeline = step.study->current->timeline;
  std::int64_t drawn = 0;
  std::int64_t most = 0;
  for (const DrawnBox& box : step.drawing.boxes) {
    drawn += box.memory.peak_bytes;
    most = std::max(most, box.memory.peak_bytes);
  }
  std::int64_t persistent = 0;
  for (const Buffer& buffer : timeline.buffers) persistent += buffer.persistent ? buffer.bytes : 0;
  EXPECT_EQ(drawn, timeline.peak_bytes - persistent);
  EXPECT_EQ(step.drawing.most_peak_bytes, most);
  EXPECT_EQ(scale_of(step.drawing, Colouring::peak_bytes).most, static_cast<double>(most));
}

TEST(Colouring, TimesOfAllBoxesAreThatOfTheStep) {
  for (const int level : {0, 1}) {
    const test::DrawnStep step(test::blocks(4), level, false);
    double drawn = 0;
    for (const DrawnBox& box : step.drawing.boxes) drawn += box.seconds;
    EXPECT_NEAR(drawn, step_seconds(*step.study, *step.study->current), 1e-12);
  }
}

TEST(Colouring, TheBoxWithMostIsBrightest) {
  const test::DrawnStep step(test::blocks(4), 0, false);
  const auto most =
      std::max_element(step.drawing.boxes.begin(), step.drawing.boxes.end(),
                       [](const DrawnBox& a, const DrawnBox& b) { return a.seconds < b.seconds; });
  EXPECT_EQ(main_colour(step.drawing, *most, Colouring::time), lifetime_colour(1));
  DrawnBox idle;
  EXPECT_FALSE(main_colour(step.drawing, idle, Colouring::time));
}

TEST(Colouring, AScaleOfThreeDecades) {
  const Scale scale{0.001, 1};
  EXPECT_DOUBLE_EQ(share_on(scale, 1), 1);
  EXPECT_NEAR(share_on(scale, 0.1), 2.0 / 3, 1e-12);
  EXPECT_NEAR(share_on(scale, 0.001), 0, 1e-12);
  EXPECT_EQ(share_on(scale, 1e-9), 0);
}

TEST(Colouring, AGroupShowsTheSharesOfItsStates) {
  const test::DrawnStep step(test::layers_with_tanh(3), 0, false);
  for (const DrawnBox& box : step.drawing.boxes) {
    if (!box.shows.group.valid() || box.shows.side != Side::forward) continue;
    const auto strip = strip_of(step.drawing, box, Colouring::stash);
    ASSERT_GE(strip.size(), 2U) << "a layer has activations with and without plans";
    EXPECT_EQ(strip.front().colour, stash_colour(StashState::plannable));
    EXPECT_EQ(strip.back().colour, stash_colour(StashState::unplanned));
  }
}

/// The colour as seen without red or green cones (Viénot, Brettel, Mollon 1999).
std::array<double, 3> seen_by(const Rgb& colour, bool without_red) {
  const auto linear = [](std::uint8_t part) { return std::pow(part / 255.0, 2.2); };
  const double r = linear(colour.red);
  const double g = linear(colour.green);
  const double b = linear(colour.blue);
  if (without_red) {
    const double both = 0.11238 * r + 0.88762 * g;
    return {both, both, 0.00401 * r - 0.00401 * g + b};
  }
  const double both = 0.29275 * r + 0.70725 * g;
  return {both, both, -0.02234 * r + 0.02234 * g + b};
}

TEST(Colouring, StatesDifferForEveryEye) {
  for (const bool without_red : {false, true}) {
    for (std::size_t a = 1; a < stash_states; ++a) {
      for (std::size_t b = 1; b < a; ++b) {
        const auto x = seen_by(stash_colour(static_cast<StashState>(a)), without_red);
        const auto y = seen_by(stash_colour(static_cast<StashState>(b)), without_red);
        const double distance = std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
        EXPECT_GT(distance, 0.1) << a << " and " << b;
      }
    }
  }
}

TEST(Colouring, EveryOneHasAWellFormedSvgWithItsLegend) {
  const test::DrawnStep step(test::blocks(2), 1, true);
  const std::array<std::string, colourings> legends = {
      "lifetime: 1 slot", "bytes at the peak: ", "freed", "run time: "};
  for (std::size_t i = 0; i < colourings; ++i) {
    const std::string svg = to_svg(step.drawing, "blocks", all_colourings[i]);
    EXPECT_EQ(test::xml_fault(svg), "");
    EXPECT_NE(svg.find(legends[i]), std::string::npos) << legends[i];
  }
}

}  // namespace colouring_test
}  // namespace stashscope::layout
