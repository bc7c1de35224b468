#pragma once

#include "core/ops/rules/gradient_context.h"
#include "core/ops/rules/op.h"
#include "core/ops/rules/shape_context.h"

namespace stashscope {

// Shape rules that several families share.

/// Output 0 has the type and dims of input 0.
void infer_like_first_input(ShapeContext& context);
/// Output 0 has the dims that the elements of an input say, and the type of another one.
void infer_shaped_by(ShapeContext& context, std::size_t operand, std::size_t element_of);
/// Output 0 is the broadcast of all inputs, which have one element type.
void infer_broadcast(ShapeContext& context);
/// The same with boolean elements.
void infer_broadcast_boolean(ShapeContext& context);

/// An elementwise operation on known contents, with broadcasting of single elements; `combine`
/// returns nothing where the result is not known.
using Combine = std::optional<Expr> (*)(const Expr&, const Expr&);
void combine_contents(ShapeContext& context, Combine combine);

/// By axis, how far apart in row-major order the positions along it are from the first; nothing
/// when a dim is no number or there are more than `max_contents` elements.
std::optional<std::vector<std::vector<std::int64_t>>> element_offsets(const Shape& shape);
/// The elements at every combination of one offset per axis, the last axis fastest.
Contents pick(const Contents& items, const std::vector<std::vector<std::int64_t>>& offsets);

/// The reference recomputes it at every probe level, in these versions.
Op recomputed(Op op, std::vector<std::int64_t> versions);

/// The domain of operators that only the reference runtime defines.
Op microsoft(Op op);

/// An operator that computes nothing: its outputs are elements of its inputs at other places.
/// @param rules empty: the reference never recomputes it
Op data_movement(std::string type, std::vector<std::int64_t> versions, void (*infer)(ShapeContext&),
                 void (*gradient)(GradientContext&), std::vector<RecomputeRule> rules);

/// The numbers 0, 1, ..., rank - 1.
std::vector<std::int64_t> all_axes(std::int64_t rank);

/// Reads axes from input `input_index` (opset `input_since` and later) or attribute `axes`; made
/// non-negative for `rank`. Nothing when they come from an input whose numbers are not known.
std::optional<std::vector<std::int64_t>> read_axes(ShapeContext& context, std::size_t input_index,
                                                   std::int64_t input_since, std::int64_t rank);

/// Cost rules.
template <int PerElement>
double flops_per_element(const CostContext& cost) {
  return PerElement * cost.output_elements();
}
template <int PerElement, std::size_t input = 0>
double flops_per_input_element(const CostContext& cost) {
  return PerElement * cost.input_elements(input);
}
inline double no_flops(const CostContext&) { return 0; }
inline double no_bytes(const CostContext&) { return 0; }
/// Of the data only what becomes output 0 is read; further inputs, such as indices, in full.
double bytes_of_picked(const CostContext& cost);

}  // namespace stashscope
