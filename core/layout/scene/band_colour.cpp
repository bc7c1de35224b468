#include "core/layout/scene/band_colour.h"

#include <array>

namespace stashscope::layout {

std::string_view band_colour(Band band) {
  constexpr std::array<std::string_view, band_count> colours = {
      "#9aa7b5", "#c9d1d9", "#b79bd0", "#e8b27d", "#8dbbe6", "#a9d6b8", "#ded27a"};
  return colours[static_cast<std::size_t>(band)];
}

}  // namespace stashscope::layout
