#pragma once

#include <span>

#include "core/memory/copy_schedule.h"
#include "core/memory/fusion.h"

namespace stashscope {

/// Everything besides dataflow and order that determines the memory of a step. Holds references
/// only; the caller keeps the objects alive.
struct StepMemory {
  const BufferRules& rules;
  const IdVector<ValueId, std::int64_t>& bytes;  ///< sizes of the graph's own values
  const UpdateMemory& update;
  const IdVector<NodeId, std::int64_t>& workspace;  ///< scratch bytes of the graph's own nodes
  const FusedStep* fused = nullptr;                 ///< set if the dataflow belongs to a fused step
  /// Copies that run beside the nodes; null: no copy does.
  const CopySchedule* copies = nullptr;

  /// Outputs that share an input's buffer: `aliases` always, `in_place` only if the input dies at
  /// the node.
  std::span<const BufferShare> aliases(const Dataflow& dataflow, NodeId node) const;
  std::span<const BufferShare> in_place(const Dataflow& dataflow, NodeId node) const;
};

/// The timeline as in timeline.h, with workspace. In a fused step, each group is represented by its
/// leader.
Timeline make_timeline(const Dataflow& dataflow, const StepMemory& memory,
                       std::vector<NodeId> order);

}  // namespace stashscope
