#pragma once

#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// Elements of an operand that lie `strides` apart. The offset and the strides are in elements.
struct StridedOperand {
  Operand operand;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
};

/// All elements of a dense tensor of `dims`.
StridedOperand whole(Operand operand, const std::vector<std::int64_t>& dims);

/// Adds a call that copies a box of `sizes` elements of type `element`; source and target must not
/// overlap. Kernels access up to 16 bytes at once. If the innermost axes of source and target
/// differ and are long, a kernel transposes tiles in shared memory. Adds no call for an empty box.
void add_strided_copy(Lowered& lowered, ElementType element, const std::vector<std::int64_t>& sizes,
                      const StridedOperand& from, const StridedOperand& to);

/// A launch with at least `threads` threads.
LaunchShape launch_of(std::int64_t threads, int threads_of_block = 256);

/// `Int32` if it can hold the indices of `elements` elements and of one block's threads beyond
/// them, else `Int64`.
std::string index_type(std::int64_t elements);

}  // namespace stashscope::cuda
