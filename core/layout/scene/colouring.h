#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/layout/scene/colour_map.h"
#include "core/layout/scene/drawing.h"

namespace stashscope::layout {

/// What the colours of boxes tell.
enum class Colouring : std::uint8_t {
  lifetime,    ///< how long what a box makes stays in memory
  peak_bytes,  ///< how much of it is there at the peak
  stash,       ///< what becomes of what it keeps for backward
  time,        ///< how long it runs
};
constexpr std::size_t colourings = 4;

/// Colours that differ for every eye (after Okabe and Ito); none has one too, for legends.
Rgb stash_colour(StashState state);

/// A part of a box's strip of colour.
struct ColourShare {
  Rgb colour;
  double share = 1;  ///< of the strip
};

/// From the top down; empty where a box has nothing to tell. Only `stash` has several parts.
std::vector<ColourShare> strip_of(const Drawing& drawing, const DrawnBox& box, Colouring colouring);

/// The colour of most of the strip.
std::optional<Rgb> main_colour(const Drawing& drawing, const DrawnBox& box, Colouring colouring);

/// What the ends of the colour map stand for: steps, bytes or seconds. Bytes and seconds are on a
/// logarithmic scale of three decades up to the box that has most. @pre not stash
struct Scale {
  double least = 0;
  double most = 0;
};
Scale scale_of(const Drawing& drawing, Colouring colouring);

/// Where a number lies on a logarithmic scale, from 0 (least or less) to 1. @pre above 0
double share_on(const Scale& scale, double number);

}  // namespace stashscope::layout
