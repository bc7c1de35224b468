#pragma once

#include <span>

#include "core/memory/fusion.h"

namespace stashscope {

/// All that the memory of a step depends on, besides its dataflow and order. Refers to what others
/// own.
struct StepMemory {
  const BufferRules& rules;
  const IdVector<ValueId, std::int64_t>& bytes;  ///< of the graph's own values
  const UpdateMemory& update;
  const IdVector<NodeId, std::int64_t>& workspace;  ///< of the graph's own nodes
  const FusedStep* fused = nullptr;  ///< when the dataflow is that of one, its leaders' rules

  /// The buffers that outputs of a node share with inputs, always or where the input dies there.
  std::span<const BufferShare> aliases(const Dataflow& dataflow, NodeId node) const;
  std::span<const BufferShare> in_place(const Dataflow& dataflow, NodeId node) const;
};

/// The timeline with workspace, of a fused step by its leaders. As the other make_timeline.
Timeline make_timeline(const Dataflow& dataflow, const StepMemory& memory,
                       std::vector<NodeId> order);

}  // namespace stashscope
