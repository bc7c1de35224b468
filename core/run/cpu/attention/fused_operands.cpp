#include "core/run/cpu/attention/fused_operands.h"

#include "core/run/shared/walk.h"

namespace stashscope::cpu {

namespace {

std::vector<std::int64_t> numbers_in(const Shape& shape) {
  std::vector<std::int64_t> numbers;
  for (const Expr& dim : shape) numbers.push_back(dim.integer().value());
  return numbers;
}

/// Maps `index`, an index along an axis of the result, to an index along the same axis of an
/// operand. The operand may be broadcast along this axis. If the operand has fewer heads than the
/// result, several heads of the result share one head of the operand.
/// @param size the operand's size along the axis
std::int64_t shared_index(std::int64_t index, std::int64_t size, std::int64_t result_size) {
  const std::int64_t group =
      std::max<std::int64_t>(1, result_size / std::max<std::int64_t>(1, size));
  return index / group;
}

/// For each position in a box of the sizes `leading`, in row-major order: the offset of its matrix
/// in a tensor whose leading axes have `sizes` and `strides`. Where an axis of the tensor is
/// shorter, neighbouring positions share a matrix.
std::vector<std::int64_t> entry_offsets(const std::vector<std::int64_t>& leading,
                                        const std::vector<std::int64_t>& sizes,
                                        const std::vector<std::int64_t>& strides) {
  const std::vector<std::int64_t> places = dense_strides(leading);
  const std::size_t missing = leading.size() - sizes.size();
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(element_count(leading)), 0);
  for (std::size_t entry = 0; entry < offsets.size(); ++entry) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::int64_t size = leading[missing + i];
      const std::int64_t index = static_cast<std::int64_t>(entry) / places[missing + i] % size;
      offsets[entry] += strides[i] * shared_index(index, sizes[i], size);
    }
  }
  return offsets;
}

}  // namespace

FusedOperands::FusedOperands(const KernelContext& context, std::size_t query) {
  const TensorView& q = context.in(query);
  const TensorView& k = context.in(query + 1);
  const TensorView& v = context.in(query + 2);
  const Attributes& attributes = context.attributes();
  const AttentionShapes shapes =
      attention_shapes(attributes, shape_of(q), shape_of(k), shape_of(v));
  leading_ = numbers_in(shapes.result_leading);
  score_dims_ = numbers_in(shapes.scores());
  const std::vector<std::int64_t> score_leading = numbers_in(shapes.score_leading);
  for (const std::int64_t each :
       entry_offsets(leading_, score_leading, dense_strides(score_leading))) {
    scores_.push_back(static_cast<std::size_t>(each));
  }
  query_axes_ = permutation(attributes, "query_perm", q.dims.size());
  key_axes_ = permutation(attributes, "key_perm", k.dims.size());
  value_axes_ = permutation(attributes, "value_perm", v.dims.size());
  // Axis i of Y is axis `forward[i]` of the result; a stack needs the inverse permutation.
  const Integers forward = permutation(attributes, "output_perm", leading_.size() + 2);
  result_axes_.resize(forward.size());
  for (std::size_t i = 0; i < forward.size(); ++i) {
    result_axes_[static_cast<std::size_t>(forward[i])] = static_cast<std::int64_t>(i);
  }
  queries_ = query_stack(q);
  keys_ = key_stack(k);
  values_ = value_stack(v);
}

MatrixStack FusedOperands::stack(const TensorView& tensor, const Integers& axes) const {
  if (!tensor.present()) return {};
  const std::vector<std::int64_t> dense = dense_strides(tensor.dims);
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
  for (const std::int64_t axis : axes) {
    sizes.push_back(tensor.dim(axis));
    strides.push_back(dense[static_cast<std::size_t>(axis)]);
  }
  MatrixStack made{tensor,        {}, *(sizes.end() - 2), sizes.back(), *(strides.end() - 2),
                   strides.back()};
  sizes.resize(sizes.size() - 2);
  made.offsets = entry_offsets(leading_, sizes, strides);
  return made;
}

MatrixStack FusedOperands::query_stack(const TensorView& tensor) const {
  return stack(tensor, query_axes_);
}

MatrixStack FusedOperands::key_stack(const TensorView& tensor) const {
  return stack(tensor, key_axes_);
}

MatrixStack FusedOperands::value_stack(const TensorView& tensor) const {
  return stack(tensor, value_axes_);
}

MatrixStack FusedOperands::result_stack(const TensorView& tensor) const {
  return stack(tensor, result_axes_);
}

MatrixStack FusedOperands::sum_stack(const TensorView& tensor) const {
  if (!tensor.present()) return {};
  MatrixStack made{tensor, {}, tensor.dim(-1), 1, 1, 1};
  for (const std::size_t entry : scores_) {
    made.offsets.push_back(static_cast<std::int64_t>(entry) * made.rows);
  }
  return made;
}

}  // namespace stashscope::cpu
