#pragma once

#include <optional>
#include <vector>

#include "core/ops/rules/shape_context.h"

namespace stashscope {

// What If, Loop and Scan make of the types that their bodies return.

/// `axes[index]` (0 when there are fewer), made non-negative. Throws an input Error outside of
/// rank.
std::int64_t axis_of(const Integers& axes, std::size_t index, std::int64_t rank);

/// The outputs from `first` on, when each of `count` iterations makes one of them.
void stack(std::vector<InferredOutput>& made, std::size_t first, const Integers& axes,
           const std::optional<Expr>& count);

/// Sizes of carried values that an iteration changes become unknown. Returns whether any did.
/// @param given iteration, condition, carried values
/// @param made condition, carried values, ...
bool loosen(std::vector<InferredOutput>& given, const std::vector<InferredOutput>& made,
            SymbolTable& symbols);

/// Dims on which two branches differ become unknown; different ranks leave the shape unknown.
void keep_common(std::vector<InferredOutput>& outputs, const std::vector<InferredOutput>& other,
                 SymbolTable& symbols);

}  // namespace stashscope
