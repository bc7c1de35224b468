// The picture inside the plot: it shows every peak at any number of slots.

#include "ui/memory/data_layer.h"

#include <gtest/gtest.h>

#include "core/study/step/study.h"
#include "tests/support/model_builder.h"
#include "tests/ui/support/long_step.h"
#include "ui/charts/column_image.h"
#include "ui/memory/memory_key.h"
#include "ui/memory/memory_view.h"

namespace stashscope::ui::test {
namespace data_layer_test {

using namespace Qt::StringLiterals;

/// A million slots, flat except for one.
MemoryCurves with_spike(std::size_t at) {
  std::vector<std::int64_t> bytes(1'000'000, 100);
  bytes[at] = 900;
  MemoryCurves curves;
  curves.current = curve_through(std::move(bytes));
  curves.baseline = curve_through(std::vector<std::int64_t>(10, 50));
  return curves;
}

QImage picture(const MemoryCurves& curves, const MemoryLook& look = {}) {
  StepAxis axis;
  axis.steps = length_of(curves, look.unit);
  const Theme theme = theme_of(QPalette(Qt::white));
  return DataLayer{curves, look, whole(axis), 1000, {}, theme}.draw({500, 200}, 1);
}

bool has_accent(const QImage& image, int x, int y) {
  const QColor accent = theme_of(QPalette(Qt::white)).accent;
  for (int row = y - 2; row <= y + 2; ++row) {
    if (image.pixelColor(x, row) == accent) return true;
  }
  return false;
}

TEST(DataLayer, ShowsOneStepInAMillionWhereItIs) {
  for (const auto unit : {AxisUnit::steps, AxisUnit::time}) {
    MemoryLook look;
    look.unit = unit;
    const QImage image = picture(with_spike(333'333), look);
    ASSERT_EQ(image.size(), QSize(500, 200));
    const int column = 333'333 / 2000;
    EXPECT_TRUE(has_accent(image, column, 20));
    EXPECT_FALSE(has_accent(image, column - 5, 20));
    EXPECT_FALSE(has_accent(image, column + 5, 20));
    EXPECT_TRUE(has_accent(image, 400, 180)) << "the level part";
  }
}

TEST(DataLayer, DashedCurvesShowTheirPeaksWhereverTheyAre) {
  const QColor colour = theme_of(QPalette(Qt::white)).measured;
  for (int column = 160; column < 176; ++column) {
    MemoryCurves curves = with_spike(0);
    std::vector<std::int64_t> bytes(1'000'000, 100);
    bytes[static_cast<std::size_t>(column) * 2000 + 1000] = 900;
    curves.measured = curve_through(std::move(bytes));
    const QImage image = picture(curves);
    bool is_seen = false;
    for (int row = 15; row < 25; ++row) is_seen |= image.pixelColor(column, row) == colour;
    EXPECT_TRUE(is_seen) << column;
  }
}

bool occurs(const QImage& image, const QColor& colour) {
  for (int x = 0; x < image.width(); ++x) {
    for (int y = 0; y < image.height(); ++y) {
      if (image.pixelColor(x, y) == colour) return true;
    }
  }
  return false;
}

TEST(DataLayer, HatchesWhatIsReservedAboveTheTensors) {
  MemoryCurves curves = long_step(500, 20);
  const std::int64_t peak = curves.current->peak_bytes;
  const Theme theme = theme_of(QPalette(Qt::white));
  StepAxis axis;
  axis = with_steps(axis, length_of(curves, AxisUnit::steps));
  const auto drawn_with = [&](std::int64_t reserved) {
    const ReservedMemory memory{reserved, reserved - peak,
                                std::vector<std::int64_t>(curves.current->bytes.size(), reserved)};
    curves.predicted_reserved = reserved_curve_of(*curves.current, memory);
    EXPECT_EQ(curves.predicted_reserved->peak_bytes, reserved);
    return DataLayer{curves, {}, whole(axis), highest_of(curves) + 1, {}, theme}.draw({300, 200},
                                                                                      1);
  };
  const QImage near = drawn_with(peak * 3 / 2);
  EXPECT_TRUE(occurs(near, hatch_colour(theme)));
  EXPECT_TRUE(occurs(near, reserved_colour(theme)));
  const auto texts = [&] {
    QString all;
    for (const KeyEntry& each : key_of(curves, {}, theme)) all += each.text + u", "_s;
    return all;
  };
  EXPECT_TRUE(texts().contains(u"reserved beyond the tensors"_s)) << texts().toStdString();
  const QImage far = drawn_with(peak * 40);
  EXPECT_FALSE(occurs(far, hatch_colour(theme))) << "it would flatten the curves";
  EXPECT_TRUE(texts().contains(u"above the plot"_s)) << texts().toStdString();
}

/// On the time axis, a measured slot may last longer than the predicted slot.
TEST(DataLayer, DrawsWhatGoesOnWhereOtherCurvesHaveEnded) {
  MemoryCurves curves = long_step(500, 20);
  curves.measured = curve_through(std::vector<std::int64_t>(5000, curves.current->peak_bytes / 2));
  const Theme theme = theme_of(QPalette(Qt::white));
  StepAxis axis;
  axis.shortest = 0.1;
  axis = with_steps(axis, length_of(curves, AxisUnit::time));
  for (const auto fill : {MemoryLook::Fill::bands, MemoryLook::Fill::tensors}) {
    const MemoryLook look{fill, MemoryLook::Colouring::lifetime, AxisUnit::time};
    const auto drawn = [&](double first) {
      return DataLayer{curves, look, with_range(axis, first, 0.4), curves.current->peak_bytes,
                       {},     theme}
          .draw({300, 200}, 1);
    };
    EXPECT_TRUE(occurs(drawn(0), theme.accent));
    EXPECT_FALSE(occurs(drawn(3), theme.accent));
    EXPECT_TRUE(occurs(drawn(3), theme.measured));
  }
}

TEST(DataLayer, LinesAreAsWideOnFineScreens) {
  const MemoryCurves curves = with_spike(333'333);
  StepAxis axis;
  axis.steps = length_of(curves, AxisUnit::steps);
  const Theme theme = theme_of(QPalette(Qt::white));
  const auto width_at = [&](double ratio) {
    const QSize size(qRound(500 * ratio), qRound(200 * ratio));
    const QImage image = DataLayer{curves, {}, whole(axis), 1000, {}, theme}.draw(size, ratio);
    EXPECT_EQ(image.size(), size);
    int rows = 0;
    for (int y = 0; y < size.height(); ++y) {
      rows += image.pixelColor(size.width() - 50, y) == theme.accent ? 1 : 0;
    }
    return rows;
  };
  EXPECT_EQ(width_at(1), 2);
  EXPECT_EQ(width_at(1.5), 3);
  EXPECT_EQ(width_at(2), 4);
}

TEST(ColumnImage, StandsUpright) {
  ColumnImage image(3, 4, qRgb(0, 0, 0));
  image.fill(0, 0, 1, qRgb(255, 0, 0));
  image.fill(2, 3, 99, qRgb(0, 255, 0));
  image.fill(7, 0, 4, qRgb(0, 0, 255));
  image.blend(1, -5, 1, qRgb(100, 100, 100), 0.5);
  const QImage upright = image.upright();
  ASSERT_EQ(upright.size(), QSize(3, 4));
  EXPECT_EQ(upright.pixelColor(0, 3), QColor(255, 0, 0));
  EXPECT_EQ(upright.pixelColor(0, 2), QColor(0, 0, 0));
  EXPECT_EQ(upright.pixelColor(2, 0), QColor(0, 255, 0));
  EXPECT_EQ(upright.pixelColor(1, 3), QColor(50, 50, 50));
}

/// The tensors of a stack fill it from the bottom to the live bytes, in both colourings.
TEST(DataLayer, TensorsFillTheStack) {
  const auto study = compute_study(
      std::make_shared<const Graph>(stashscope::test::deep_perceptron(6).build()), {}, nullptr, {});
  MemoryCurves curves = curves_of(study, nullptr);
  curves.tensors = tensors_of(*study);
  const Theme theme = theme_of(QPalette(Qt::white));
  const std::int64_t top = 2 * curves.current->peak_bytes;
  StepAxis axis;
  axis.steps = length_of(curves, AxisUnit::steps);
  for (const auto colouring : {MemoryLook::Colouring::lifetime, MemoryLook::Colouring::band}) {
    const MemoryLook look{MemoryLook::Fill::tensors, colouring, AxisUnit::steps};
    const QImage image = DataLayer{curves, look, whole(axis), top, {}, theme}.draw({300, 200}, 1);
    const auto x_of = [&](std::size_t step) {
      return static_cast<int>((static_cast<double>(step) + 0.5) / axis.steps * 300);
    };
    for (std::size_t step = 0; step < curves.current->bytes.size(); ++step) {
      const auto height = static_cast<int>(200 * curves.current->bytes[step] / top);
      for (int row = 4; row < height - 4; ++row) {
        ASSERT_NE(image.pixelColor(x_of(step), 199 - row), theme.canvas) << step << " " << row;
      }
      ASSERT_EQ(image.pixelColor(x_of(step), 2), theme.canvas);
    }
  }
}

/// A view without a study draws and answers, so that it can show any timeline.
TEST(MemoryPlot, ShowsAMillionEventsInEveryMode) {
  const MemoryCurves curves = long_step(500'000, 90);
  const CurveExtremes& bytes = curves.current->bytes;
  MemoryView view;
  view.resize(800, 300);
  view.set_curves(curves);
  for (const auto fill : {MemoryLook::Fill::bands, MemoryLook::Fill::tensors}) {
    for (const auto unit : {AxisUnit::steps, AxisUnit::time}) {
      view.set_look({fill, MemoryLook::Colouring::lifetime, unit});
      EXPECT_FALSE(view.grab().isNull());
      const double x = std::floor(view.plot().center().x());
      const double per_pixel = 500'000 / view.plot().width();
      const double first = (x - view.plot().left()) * per_pixel;
      const Stretch pixel = steps_between(first, first + per_pixel, bytes.size());
      ASSERT_GT(pixel.end - pixel.begin, 500U);
      const std::size_t found = view.step_at(x);
      EXPECT_GE(found + 2, pixel.begin);
      EXPECT_LT(found, pixel.end + 2);
      EXPECT_GE(bytes[found], bytes.between({pixel.begin + 2, pixel.end - 2}).high);
    }
  }
  EXPECT_TRUE(view.tensor_at({view.plot().center().x(), view.plot().bottom() - 3}));
}

}  // namespace data_layer_test
}  // namespace stashscope::ui::test
