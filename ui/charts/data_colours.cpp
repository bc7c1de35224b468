#include "ui/charts/data_colours.h"

#include <algorithm>
#include <cmath>

namespace stashscope::ui {

namespace {

/// Relative luminance on black with a contrast of 3:1, the least for graphics. (WCAG 2.2, 1.4.11)
constexpr double least_luminance = 0.1;

double linear_light(double part) {
  return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
}

double gamma_coded(double light) {
  return light <= 0.0031308 ? light * 12.92 : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
}

}  // namespace

QColor seen_colour(const QColor& colour, const Theme& theme) {
  if (!theme.high_contrast) return colour;
  const double red = linear_light(colour.redF());
  const double green = linear_light(colour.greenF());
  const double blue = linear_light(colour.blueF());
  const double luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  if (luminance >= least_luminance) return colour;
  const double white = (least_luminance - luminance) / (1 - luminance);
  const auto lighter = [white](double light) {
    const double coded = gamma_coded(light + white * (1 - light));
    return static_cast<int>(std::ceil(255 * std::min(1.0, coded)));
  };
  return {lighter(red), lighter(green), lighter(blue)};
}

}  // namespace stashscope::ui
