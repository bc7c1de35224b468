#include "core/layout/scene/band_colour.h"

#include <array>

namespace stashscope::layout {

std::string_view band_colour(Band band) {
  constexpr std::array<std::string_view, band_count> colours = {
      "#8291a3", "#e09aa6", "#cbc1ae", "#b592d6", "#f0a65a", "#74b3f0", "#93d3a8", "#e3d465"};
  return colours[static_cast<std::size_t>(band)];
}

}  // namespace stashscope::layout
