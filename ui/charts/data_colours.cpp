#include "ui/charts/data_colours.h"

#include <algorithm>
#include <cmath>

namespace stashscope::ui {

namespace {

/// The least contrast of graphics with the colours around them. (WCAG 2.2, 1.4.11)
constexpr double least_contrast = 3;
/// The number that WCAG adds to both relative luminances before it divides them to get the
/// contrast.
constexpr double glare = 0.05;

double linear_light(double part) {
  return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
}

double gamma_coded(double light) {
  return light <= 0.0031308 ? light * 12.92 : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
}

double luminance_of(const QColor& colour) {
  return 0.2126 * linear_light(colour.redF()) + 0.7152 * linear_light(colour.greenF()) +
         0.0722 * linear_light(colour.blueF());
}

}  // namespace

QColor seen_colour(const QColor& colour, const Theme& theme) {
  if (!theme.dark) return colour;
  const double luminance = luminance_of(colour);
  const double least = least_contrast * (luminance_of(theme.surface) + glare) - glare;
  if (luminance >= least) return colour;
  const double white = (least - luminance) / (1 - luminance);
  const auto lighter = [white](double light) {
    const double coded = gamma_coded(light + white * (1 - light));
    return static_cast<int>(std::ceil(255 * std::min(1.0, coded)));
  };
  return {lighter(linear_light(colour.redF())), lighter(linear_light(colour.greenF())),
          lighter(linear_light(colour.blueF()))};
}

QColor text_colour_on(const QColor& colour) {
  // Black and white have the same contrast if (L + glare) / glare = (1 + glare) / (L + glare).
  const double glared = luminance_of(colour) + glare;
  return glared * glared > glare * (1 + glare) ? Qt::black : Qt::white;
}

}  // namespace stashscope::ui
