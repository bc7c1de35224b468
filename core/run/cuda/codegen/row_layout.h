#pragma once

#include <string>
#include <vector>

#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// Rows of a tensor that a kernel processes one by one.
struct Rows {
  std::int64_t count = 0;
  std::int64_t columns = 0;
  std::int64_t stride = 1;  ///< elements from one element of a row to the next
};

/// The requirements of a kernel on the threads that process its rows.
struct RowNeeds {
  std::vector<ElementType> elements;  ///< types of all operands that have the dims of the rows
  /// How many numbers the kernel keeps in registers for each element of a row; 0: the kernel keeps
  /// no row and reads rows once or in several passes.
  int kept_numbers = 1;
  /// Lengths of further contiguous runs that the kernel accesses. The number of elements per access
  /// divides these lengths too.
  std::vector<std::int64_t> even_runs = {};
};

/// The assignment of threads to rows: the text of a RowLayout (kernels/groups.cuh) and a launch.
struct RowPlan {
  std::string layout;
  LaunchShape shape;
};

/// Plans few threads for a short row and a block for a long row. Rows that do not fit into
/// registers are read in passes. Throws a run Error for rows of more than 2^30 - 1 elements.
RowPlan plan_rows(const Rows& rows, const RowNeeds& needs);

}  // namespace stashscope::cuda
