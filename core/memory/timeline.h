#pragma once

#include <cstdint>
#include <vector>

#include "core/memory/buffers.h"

namespace stashscope {

using BufferId = Id<struct BufferTag>;

/// A piece of memory that one value, or several that share it, live in.
struct Buffer {
  ValueId root;  ///< the value it was allocated for
  std::int64_t bytes = 0;
  std::uint32_t first_step = 0;  ///< allocated when the node of this step starts
  std::uint32_t last_step = 0;   ///< freed when the node of this step ends
  bool resident = false;         ///< inputs, parameters and constants: there before and after
};

/// The memory of one step, node by node. Step i is the i-th node of the order; its live bytes count
/// everything that is allocated while it runs: inputs that still live, outputs, all else in
/// between.
struct Timeline {
  std::vector<NodeId> order;
  IdVector<BufferId, Buffer> buffers;
  IdVector<ValueId, BufferId> buffer_of;  ///< invalid for values that the order never makes
  std::vector<std::int64_t> live_bytes;   ///< by step
  std::int64_t peak_bytes = 0;
  std::size_t peak_step = 0;  ///< the first step that reaches the peak
};

/// Which values share a buffer when the nodes run in `order`: aliases always, in-place outputs
/// where the input dies at the node and nothing else there reads the same buffer. The runners
/// follow this.
/// @param bytes sizes of the graph's own values; an added value's follows from its original's
/// @param order every node of the dataflow once, producers before readers
Timeline make_timeline(const Dataflow& dataflow, const BufferRules& rules,
                       const IdVector<ValueId, std::int64_t>& bytes, std::vector<NodeId> order);

/// The buffers alive at `step`, largest first.
std::vector<BufferId> alive_at(const Timeline& timeline, std::size_t step);

/// Device bytes of a value of the dataflow. @param bytes sizes of the graph's own values
std::int64_t stored_bytes(const Dataflow& dataflow, const IdVector<ValueId, std::int64_t>& bytes,
                          ValueId value);

/// The bytes alive at `step` in the model's dimension names.
Expr symbolic_bytes(const Graph& graph, const Dataflow& dataflow, const Timeline& timeline,
                    std::size_t step);

/// Bytes of the values that forward nodes make and backward nodes read, shared buffers once.
std::int64_t stashed_bytes(const Timeline& timeline, const std::vector<ValueId>& stashed);

}  // namespace stashscope
