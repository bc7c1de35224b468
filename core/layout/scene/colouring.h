#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/layout/scene/colour_map.h"
#include "core/layout/scene/drawing.h"

namespace stashscope::layout {

/// The quantity shown by the colours of boxes.
enum class Colouring : std::uint8_t {
  lifetime,    ///< how long the box's outputs stay in memory
  peak_bytes,  ///< bytes of the box's outputs that are live at the peak
  stash,       ///< state of the box's stashed outputs
  time,        ///< run time of the box
};
constexpr std::size_t colourings = 4;

/// The colour of a state. The colours differ under colour blindness, too (after Okabe and Ito).
/// `none` has a colour for legends.
Rgb stash_colour(StashState state);

/// A part of a box's strip of colour.
struct ColourShare {
  Rgb colour;
  double share = 1;  ///< fraction of the strip's height
};

/// The parts of a box's strip from top to bottom; empty if the box has no value. Only the colouring
/// `stash` gives several parts.
std::vector<ColourShare> strip_of(const Drawing& drawing, const DrawnBox& box, Colouring colouring);

/// The colour of the largest part of the strip; nothing if the strip is empty.
std::optional<Rgb> main_colour(const Drawing& drawing, const DrawnBox& box, Colouring colouring);

/// The values at the ends of the colour map: slots, bytes or seconds. Bytes and seconds use a
/// logarithmic scale of three decades that ends at the largest value of any box.
struct Scale {
  double least = 0;
  double most = 0;
};
/// @pre colouring is not `stash`
Scale scale_of(const Drawing& drawing, Colouring colouring);

/// Position of a number on a logarithmic scale, from 0 (`least` or less) to 1 (`most`).
/// @pre number > 0
double share_on(const Scale& scale, double number);

}  // namespace stashscope::layout
