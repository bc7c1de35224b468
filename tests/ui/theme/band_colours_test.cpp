// Whether the bands of memory can be told apart in every theme, as boxes and as areas below the
// memory curve.

#include "ui/charts/band_colours.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <array>
#include <cmath>
#include <functional>

#include "ui/charts/data_colours.h"
#include "ui/memory/data_layer.h"
#include "ui/theme/theme.h"

namespace stashscope::ui::test {
namespace band_colours_test {

/// Differences of colours as in CIE 1976. A difference of 2.3 is just noticeable side by side; a
/// key needs several times as much.
constexpr double least_between_boxes = 20;
constexpr double least_between_areas = 15;

using Lab = std::array<double, 3>;

double linear(float part) {
  return part <= 0.04045F ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& colour) {
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
         0.0722 * linear(colour.blueF());
}

double contrast(const QColor& a, const QColor& b) {
  const auto [darker, lighter] = std::minmax({luminance(a), luminance(b)});
  return (lighter + 0.05) / (darker + 0.05);
}

Lab lab_of(const QColor& colour) {
  const double red = linear(colour.redF());
  const double green = linear(colour.greenF());
  const double blue = linear(colour.blueF());
  const auto root = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = root((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505);
  const double y = root(luminance(colour));
  const double z = root((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double difference(const QColor& a, const QColor& b) {
  const Lab first = lab_of(a);
  const Lab second = lab_of(b);
  return std::hypot(first[0] - second[0], first[1] - second[1], first[2] - second[2]);
}

Theme high_contrast() {
  apply_theme(*qApp, ThemeChoice::high_contrast);
  const Theme theme = theme_of(QApplication::palette());
  apply_theme(*qApp, ThemeChoice::light);
  return theme;
}

/// Whether all bands differ: any two can be neighbours, because bands without bytes are left out.
void expect_differences(double least, const std::function<QColor(Band)>& colour) {
  for (std::size_t i = 0; i < band_count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto [a, b] = std::pair(static_cast<Band>(i), static_cast<Band>(j));
      EXPECT_GE(difference(colour(a), colour(b)), least) << title_of(a) << ", " << title_of(b);
    }
  }
}

TEST(BandColours, CanBeToldApartInEveryTheme) {
  for (const Theme& theme : {light_theme(), dark_theme(), high_contrast()}) {
    SCOPED_TRACE(theme.window.name().toStdString());
    expect_differences(least_between_boxes, [&](Band band) { return band_colour(band, theme); });
    expect_differences(least_between_areas, [&](Band band) { return fill_colour(band, theme); });
  }
}

TEST(BandColours, OfHighContrastStandOutFromBlackAndCarryBlackText) {
  const Theme theme = high_contrast();
  for (std::size_t i = 0; i < band_count; ++i) {
    const QColor colour = band_colour(static_cast<Band>(i), theme);
    EXPECT_GE(contrast(colour, theme.surface), 7) << i;
    EXPECT_EQ(text_colour_on(colour), QColor(Qt::black)) << i;
    EXPECT_GE(contrast(fill_colour(static_cast<Band>(i), theme), theme.canvas), 3) << i;
  }
}

TEST(BandColours, CarryATextWithItsContrast) {
  for (const Theme& theme : {light_theme(), dark_theme()}) {
    for (std::size_t i = 0; i < band_count; ++i) {
      const QColor colour = band_colour(static_cast<Band>(i), theme);
      EXPECT_GE(contrast(colour, text_colour_on(colour)), 4.5) << i;
    }
  }
}

}  // namespace band_colours_test
}  // namespace stashscope::ui::test
