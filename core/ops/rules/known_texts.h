#pragma once

#include <initializer_list>
#include <string_view>

#include "core/ops/rules/shape_context.h"

namespace stashscope {

/// Throws an input Error if a text attribute is given and has none of the values that the operator
/// knows.
void require_known_text(const ShapeContext& context, std::string_view attribute,
                        std::initializer_list<std::string_view> known);

}  // namespace stashscope
