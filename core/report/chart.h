#pragma once

#include <string>
#include <string_view>

#include "core/study/step/study.h"

namespace stashscope {

/// The fill colour of a band, as `#rrggbb`; light enough for dark lines on top.
std::string_view band_colour(Band band);

/// The memory curves of baseline and current variant (and of a measurement, if given) over the
/// bands of the current variant, as SVG.
std::string memory_chart_svg(const Study& study, const Measurement* measured);

/// The points of a polyline for live bytes over slots, reduced to at most two points per pixel
/// column without losing a peak.
/// @param width, height in pixels, @param top bytes at the upper edge
std::string curve_points(const std::vector<std::int64_t>& live_bytes, double width, double height,
                         std::int64_t top);

}  // namespace stashscope
