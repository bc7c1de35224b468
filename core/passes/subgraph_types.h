#pragma once

#include <optional>
#include <vector>

#include "core/ops/rules/shape_context.h"

namespace stashscope {

// The output types of If, Loop and Scan, from the types that their bodies return.

/// `axes[index]` (0 when there are fewer), made non-negative. Throws an input Error outside `rank`.
std::int64_t axis_of(const Integers& axes, std::size_t index, std::int64_t rank);

/// Adds to the outputs from `first` on the axis along which `count` iterations are stacked.
void stack(std::vector<InferredOutput>& made, std::size_t first, const Integers& axes,
           const std::optional<Expr>& count);

/// Replaces the sizes of carried values that an iteration changes by fresh symbols; a changed rank
/// makes the shape unknown. Returns whether any shape changed.
/// @param given iteration, condition, carried values
/// @param made condition, carried values, ...
bool loosen(std::vector<InferredOutput>& given, const std::vector<InferredOutput>& made,
            SymbolTable& symbols);

/// Replaces the dims that differ between two branches by fresh symbols; different ranks make the
/// shape unknown.
void keep_common(std::vector<InferredOutput>& outputs, const std::vector<InferredOutput>& other,
                 SymbolTable& symbols);

}  // namespace stashscope
