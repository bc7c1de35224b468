#include "core/run/cuda/attention/matrix_stack.h"

#include <algorithm>

#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/shared/walk.h"

namespace stashscope::cuda {

std::string SharedEntries::text() const {
  return with_arguments("SharedEntries", arguments_of(kept.text(), summed.text(), summed.count()));
}

std::int64_t MatrixStack::group(std::size_t axis) const {
  return std::max<std::int64_t>(1, leading[axis] / std::max<std::int64_t>(1, sizes[axis]));
}

std::string MatrixStack::offsets() const {
  WalkText walk;
  for (std::size_t i = leading.size(); i-- > 0;) {
    walk.add(group(i), 0);
    walk.add(leading[i] / group(i), strides[i]);
  }
  return walk.text();
}

std::string MatrixStack::type(bool is_written) const {
  return with_arguments(
      "Matrices", arguments_of((is_written ? "" : "const ") + device_type(element), offsets(), rows,
                               columns, row_stride, column_stride));
}

SharedEntries MatrixStack::shared_entries() const {
  const Dims places = kernels::dense_strides(leading);
  SharedEntries shared;
  for (std::size_t i = leading.size(); i-- > 0;) {
    shared.kept.add(leading[i] / group(i), places[i] * group(i));
    shared.summed.add(group(i), places[i]);
  }
  return shared;
}

MatrixStack matrix_stack(ElementType element, const Dims& dims, const Dims& axes,
                         const Dims& leading) {
  const Dims dense = kernels::dense_strides(dims);
  const auto size = [&](std::size_t i) { return dims[static_cast<std::size_t>(axes[i])]; };
  const auto stride = [&](std::size_t i) { return dense[static_cast<std::size_t>(axes[i])]; };
  const std::size_t own = dims.size() - 2;
  MatrixStack stack{.element = element,
                    .leading = leading,
                    .sizes = Dims(leading.size(), 1),
                    .strides = Dims(leading.size(), 0),
                    .rows = size(own),
                    .columns = size(own + 1),
                    .row_stride = stride(own),
                    .column_stride = stride(own + 1)};
  for (std::size_t i = 0; i < own; ++i) {
    stack.sizes[leading.size() - own + i] = size(i);
    stack.strides[leading.size() - own + i] = stride(i);
  }
  return stack;
}

}  // namespace stashscope::cuda
