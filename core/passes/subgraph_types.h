#pragma once

#include <optional>
#include <vector>

#include "core/ops/rules/shape_context.h"

namespace stashscope {

// The output types of If, Loop and Scan, from the types that their bodies return.

/// `axes[index]` (0 if `axes` is shorter), made non-negative. Throws an input Error if the axis is
/// outside of `rank`.
std::int64_t axis_of(const Integers& axes, std::size_t index, std::int64_t rank);

/// Stacks the results of `count` iterations: adds an axis to each output whose index is at least
/// `first`. If the count is unknown, these outputs get unknown shapes.
void stack(std::vector<InferredOutput>& made, std::size_t first, const Integers& axes,
           const std::optional<Expr>& count);

/// If an iteration changes a size of a carried value, a fresh symbol replaces the size. If an
/// iteration changes the rank, the shape becomes unknown. Returns whether any shape changed.
/// @param given types of the body's inputs: iteration, condition, carried values
/// @param made types of the body's outputs: condition, carried values, then outputs that this
/// function does not read
bool loosen(std::vector<InferredOutput>& given, const std::vector<InferredOutput>& made,
            SymbolTable& symbols);

/// If a dim differs between two branches, a fresh symbol replaces the dim in `outputs`. If the
/// ranks differ, the shape becomes unknown.
void keep_common(std::vector<InferredOutput>& outputs, const std::vector<InferredOutput>& other,
                 SymbolTable& symbols);

}  // namespace stashscope
