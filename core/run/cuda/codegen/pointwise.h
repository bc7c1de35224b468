#pragma once

#include <optional>
#include <vector>

#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// A pointwise node of a group that runs as one kernel.
struct GroupMember {
  LoweringContext context;
  ExpressionFunction expression = nullptr;
  /// By input: the earlier member that makes it; nothing: it is read from memory.
  std::vector<std::optional<std::size_t>> made_by = {};
  bool stores = true;  ///< others read its output, which has a place in memory
};

/// One kernel for pointwise nodes whose outputs have equal numbers of elements, each of whose
/// operands has the dims of the outputs or broadcasts to them. What only members read stays in
/// registers, rounded as its type asks for, so that a group makes the same bits as its members one
/// by one. All that is read of an element is read before anything of it is stored: an output may
/// take the memory of an operand with its dims. Operands are those of the members. No calls where
/// there are no elements.
Lowered lower_group(const std::vector<GroupMember>& members);

/// The same for a node alone.
Lowered lower_pointwise(const LoweringContext& context, ExpressionFunction expression);

/// One kernel for several outputs of a node, each as large as the first. @param expressions by
/// output; null where it is left out
Lowered lower_outputs(const LoweringContext& context,
                      const std::vector<ExpressionFunction>& expressions);

}  // namespace stashscope::cuda
