#pragma once

#include <string>
#include <string_view>

#include "core/layout/place/placement.h"

namespace stashscope::layout {

/// Requests and results as JSON on one line, for the pipe between the program and its layout child.
/// The text does not depend on the locale and keeps every bit of a number. Equal requests have
/// equal texts.
std::string to_text(const LayoutRequest& request);
std::string to_text(const LayoutResult& result);

/// The parse functions throw a run Error for text that is not a request (result) and for numbers or
/// indices out of range.
LayoutRequest parse_request(std::string_view text);
/// @param request the request to which the result belongs; the result must have one box for each
/// box and one curve for each edge of the request
LayoutResult parse_result(std::string_view text, const LayoutRequest& request);

}  // namespace stashscope::layout
