#pragma once

#include <string>
#include <vector>

#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// Rows of a tensor that a kernel processes one by one.
struct Rows {
  std::int64_t count = 0;
  std::int64_t columns = 0;
  std::int64_t stride = 1;  ///< between the elements of a row
};

/// The requirements of a kernel on the threads that process its rows.
struct RowNeeds {
  std::vector<ElementType> elements;  ///< of all operands with the rows' dims
  /// How many numbers per element of a row stay in registers; 0: the kernel reads rows once or in
  /// passes.
  int kept_numbers = 1;
  /// The width of an access also divides these: lengths of other runs that are read along the rows.
  std::vector<std::int64_t> even_runs = {};
};

/// The assignment of threads to rows: the text of a RowLayout (kernels/groups.cuh) and a launch.
struct RowPlan {
  std::string layout;
  LaunchShape shape;
};

/// Few threads for short rows, a block for long ones. Rows too long for registers are read in
/// passes. Throws a run Error for rows beyond 32 bits.
RowPlan plan_rows(const Rows& rows, const RowNeeds& needs);

}  // namespace stashscope::cuda
