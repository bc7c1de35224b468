#pragma once

#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// A place in an operand from which elements lie `strides` apart; offset and strides in elements.
struct StridedOperand {
  Operand operand;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
};

/// The whole of a dense tensor of `dims`.
StridedOperand whole(Operand operand, const std::vector<std::int64_t>& dims);

/// Copies a box of `sizes` elements of type `element`; source and target do not overlap. Rows are
/// moved in up to 16 bytes at once, tiles are turned in shared memory where the innermost axes of
/// source and target differ. No calls for an empty box.
void add_strided_copy(Lowered& lowered, ElementType element, const std::vector<std::int64_t>& sizes,
                      const StridedOperand& from, const StridedOperand& to);

/// Starts a kernel with at least `threads` threads.
LaunchShape launch_of(std::int64_t threads, int threads_of_block = 256);

/// `Int32` where positions up to `elements` fit into it, else `Int64`.
std::string index_type(std::int64_t elements);

}  // namespace stashscope::cuda
