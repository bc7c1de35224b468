#pragma once

#include <optional>
#include <vector>

#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// A pointwise node of a fused group that runs as one kernel.
struct GroupMember {
  LoweringContext context;
  ExpressionFunction expression = nullptr;
  /// By input: the earlier member that makes it; nullopt: it is read from memory.
  std::vector<std::optional<std::size_t>> made_by = {};
  bool stores = true;  ///< its output is in memory because others read it
};

/// One kernel for pointwise nodes whose outputs have equal numbers of elements; each operand has
/// the dims of the outputs or broadcasts to them. A value that only members read stays in
/// registers, rounded to its element type, so that a group gives the same bits as its members one
/// by one. A thread reads all operands of an element before it stores any result, so an output may
/// share the memory of an operand with its dims. The operands are the operands of the members.
/// Without elements, there are no calls.
Lowered lower_group(const std::vector<GroupMember>& members);

/// One kernel for a single pointwise node.
Lowered lower_pointwise(const LoweringContext& context, ExpressionFunction expression);

/// One kernel for several outputs of a node, each as large as the first. @param expressions by
/// output; null where it is left out
Lowered lower_outputs(const LoweringContext& context,
                      const std::vector<ExpressionFunction>& expressions);

}  // namespace stashscope::cuda
