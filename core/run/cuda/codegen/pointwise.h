#pragma once

#include <optional>
#include <vector>

#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// A pointwise node of a fused group. The whole group runs as one kernel.
struct GroupMember {
  LoweringContext context;
  ExpressionFunction expression = nullptr;
  /// For each input, the index of the earlier member that makes it; nullopt if the input is read
  /// from memory.
  std::vector<std::optional<std::size_t>> made_by = {};
  /// Whether the output is needed outside the group: a node that is not a member reads it, or the
  /// graph returns it.
  bool stores = true;
};

/// One kernel for pointwise nodes whose outputs have equal numbers of elements; each operand has
/// the dims of the outputs or broadcasts to them. A value that only members read stays in
/// registers, rounded to its element type, so that a group computes the same bits as separate
/// kernels. A thread reads all operands of an element before it stores any result, so an output may
/// share the memory of an operand that has the output's dims. In the operands of the call, `member`
/// is an index into `members`. If the outputs have no elements, there are no calls.
Lowered lower_group(const std::vector<GroupMember>& members);

/// One kernel for a single pointwise node.
Lowered lower_pointwise(const LoweringContext& context, ExpressionFunction expression);

/// One kernel for several outputs of a node. All outputs have as many elements as the first output.
/// @param expressions one per output; null for an output that the kernel does not compute
Lowered lower_outputs(const LoweringContext& context,
                      const std::vector<ExpressionFunction>& expressions);

}  // namespace stashscope::cuda
