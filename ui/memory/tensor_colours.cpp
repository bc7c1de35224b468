#include "ui/memory/tensor_colours.h"

#include "ui/charts/band_colours.h"
#include "ui/charts/data_colours.h"

namespace stashscope::ui {

TensorColours::TensorColours(const Theme& theme) {
  for (std::size_t i = 0; i < band_count; ++i) {
    bands_[i] = band_colour(static_cast<Band>(i), theme).rgb();
  }
  for (std::size_t i = 0; i < shades; ++i) {
    const QColor colour = lifetime_colour(static_cast<double>(i) / (shades - 1));
    lives_[i] = seen_colour(colour, theme).rgb();
  }
}

}  // namespace stashscope::ui
