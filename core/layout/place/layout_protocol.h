#pragma once

#include <string>
#include <string_view>

#include "core/layout/place/placement.h"

namespace stashscope::layout {

/// Requests and results as JSON on one line, for the pipe between the program and its layout child.
/// Independent of the locale. Numbers keep every bit. Equal requests have equal texts.
std::string to_text(const LayoutRequest& request);
std::string to_text(const LayoutResult& result);

/// Both throw a run Error for text that is not such JSON, and for numbers and indices out of range.
LayoutRequest parse_request(std::string_view text);
/// @param request the request that the result must answer, with equal numbers of boxes and curves
LayoutResult parse_result(std::string_view text, const LayoutRequest& request);

}  // namespace stashscope::layout
