#pragma once

#include <string_view>

#include "core/memory/bands.h"

namespace stashscope::layout {

/// The fill colour of a band, as `#rrggbb`; light enough for dark lines on top.
std::string_view band_colour(Band band);

}  // namespace stashscope::layout
