#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/symbolic/expr.h"

namespace stashscope {

/// Known elements of a tensor as numbers; nothing when one of them is not known to be one, or when
/// there are none to know (null).
std::optional<std::vector<std::int64_t>> integers_of(const std::vector<Expr>* contents);

}  // namespace stashscope
