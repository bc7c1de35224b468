#pragma once

#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// Elements of an operand that lie `strides` apart; offset and strides in elements.
struct StridedOperand {
  Operand operand;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
};

/// All elements of a dense tensor of `dims`.
StridedOperand whole(Operand operand, const std::vector<std::int64_t>& dims);

/// Copies a box of `sizes` elements of type `element`; source and target do not overlap. Rows are
/// moved in accesses of up to 16 bytes; tiles are transposed in shared memory where the innermost
/// axes of source and target differ. No calls for an empty box.
void add_strided_copy(Lowered& lowered, ElementType element, const std::vector<std::int64_t>& sizes,
                      const StridedOperand& from, const StridedOperand& to);

/// A launch with at least `threads` threads.
LaunchShape launch_of(std::int64_t threads, int threads_of_block = 256);

/// `Int32` where it holds positions up to `elements`, else `Int64`.
std::string index_type(std::int64_t elements);

}  // namespace stashscope::cuda
