#pragma once

#include <string>
#include <string_view>

#include "core/study/step/study.h"

namespace stashscope {

/// The colour that a band of memory is filled with, as `#rrggbb`; readable behind dark lines.
std::string_view band_colour(Band band);

/// The memory curve of baseline and current variant (and of a measurement, when there is one) over
/// the bands of the current one, as SVG.
std::string memory_chart_svg(const Study& study, const Measurement* measured);

/// A polyline's points for live bytes over steps, thinned to at most two points per pixel column
/// without losing a peak.
/// @param width, height in pixels, @param top bytes at the upper edge
std::string curve_points(const std::vector<std::int64_t>& live_bytes, double width, double height,
                         std::int64_t top);

}  // namespace stashscope
