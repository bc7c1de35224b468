#pragma once

#include <string>
#include <string_view>

#include "core/layout/place/placement.h"

namespace stashscope::layout {

/// Requests and results as text, for the pipe between the program and its layout child. Independent
/// of the locale. Equal requests have equal texts.
std::string to_text(const LayoutRequest& request);
std::string to_text(const LayoutResult& result);

/// Throw a run Error for text that is cut off, out of range or something else altogether.
LayoutRequest parse_request(std::string_view text);
/// @param request what was asked for; the result must answer exactly that
LayoutResult parse_result(std::string_view text, const LayoutRequest& request);

}  // namespace stashscope::layout
