#pragma once

#include "core/ops/rules/gradient_context.h"
#include "core/ops/rules/op.h"
#include "core/ops/rules/shape_context.h"

namespace stashscope {

// Shape rules that several families share.

/// Output 0 has the type and dims of input 0.
void infer_like_first_input(ShapeContext& context);
/// The dims of output 0 are the elements of input `operand`; the element type is that of input
/// `element_of`. Throws ShapeUnknown if these elements are not known.
void infer_shaped_by(ShapeContext& context, std::size_t operand, std::size_t element_of);
/// Output 0 has the broadcast shape of all inputs and their common element type.
void infer_broadcast(ShapeContext& context);
/// Like infer_broadcast, with boolean elements.
void infer_broadcast_boolean(ShapeContext& context);

/// Returns the element that results from two elements; nothing if the result is not known.
using Combine = std::optional<Expr> (*)(const Expr&, const Expr&);

/// Sets the contents of output 0 by an elementwise operation on inputs 0 and 1, if both have known
/// contents and at most one axis. A single element is broadcast.
void combine_contents(ShapeContext& context, Combine combine);

/// For each axis of a tensor, the row-major offset of each position along the axis. Nothing if a
/// dim is not a number or there are more than `max_contents` elements.
std::optional<std::vector<std::vector<std::int64_t>>> element_offsets(const Shape& shape);
/// For every combination of one offset per axis, the element at the sum of these offsets; the last
/// axis advances fastest.
Contents pick(const Contents& items, const std::vector<std::vector<std::int64_t>>& offsets);

/// Marks `op` as an operator that ONNX Runtime recomputes at every probe level.
/// @param versions the since-versions of the operator that ONNX Runtime recomputes
Op recomputed(Op op, std::vector<std::int64_t> versions);

/// Puts an operator that only ONNX Runtime defines into domain com.microsoft, version 1.
Op microsoft(Op op);

/// An operator that computes nothing: its outputs are rearranged elements of its inputs.
/// @param rules empty: ONNX Runtime never recomputes the operator
Op data_movement(std::string type, std::vector<std::int64_t> versions, Operands operands,
                 void (*infer)(ShapeContext&), void (*gradient)(GradientContext&),
                 std::vector<RecomputeRule> rules);

/// The element type that an attribute names by ONNX's number; `otherwise` if the attribute is
/// missing or 0. Throws an input Error for a number that names no element type.
ElementType element_attribute(const Attributes& attributes, std::string_view name,
                              ElementType otherwise);

/// The numbers 0, 1, ..., rank - 1.
std::vector<std::int64_t> all_axes(std::int64_t rank);

/// Reads axes from input `input_index` (since operator version `input_since`) or from the attribute
/// `axes`; negative axes count from the end of `rank` axes. Returns non-negative axes; nothing if
/// the input's elements are not known. Throws an input Error for an axis outside of the rank, and
/// for the attribute `axes` in a version that takes the input instead.
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
/// The bytes of an operator whose output 0 consists of selected elements of input 0. The operator
/// reads only the selected elements of input 0, but reads all further inputs, such as indices, in
/// full.
double bytes_of_picked(const CostContext& cost);

}  // namespace stashscope
