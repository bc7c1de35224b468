#pragma once

#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// The memory curves of baseline and current variant (and of a measurement, if given) as SVG, drawn
/// on top of the bands of the current variant.
std::string memory_chart_svg(const Study& study, const Measurement* measured);

/// The points of a polyline for live bytes over slots, reduced to at most two points per pixel
/// column without losing a peak.
/// @param width, height in pixels, @param top bytes at the upper edge
std::string curve_points(const std::vector<std::int64_t>& live_bytes, double width, double height,
                         std::int64_t top);

}  // namespace stashscope
