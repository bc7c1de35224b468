#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/memory/buffers.h"
#include "core/memory/optimizer.h"

namespace stashscope {

using BufferId = Id<struct BufferTag>;

/// A piece of memory that one value, or several that share it, live in.
struct Buffer {
  ValueId root;  ///< the value it was allocated for; of an optimizer's state, the parameter
  std::int64_t bytes = 0;
  std::uint32_t first_slot = 0;  ///< allocated when the node of this step starts
  std::uint32_t last_slot = 0;   ///< freed when the node of this step ends
  bool persistent = false;       ///< inputs, parameters, constants, states: there before and after
  bool returned = false;         ///< holds a graph output that is still there after the step
  std::optional<OptimizerState> state;  ///< of an optimizer, else a value of the graph lives here
};

/// The memory of one step, node by node. Step i is the i-th node of the order; its live bytes count
/// everything that is allocated while it runs: inputs that still live, outputs, all else in
/// between.
struct Timeline {
  std::vector<NodeId> order;
  IdVector<BufferId, Buffer> buffers;
  IdVector<ValueId, BufferId> buffer_of;  ///< invalid for values that the order never makes
  std::vector<std::int64_t> live_bytes;   ///< by step
  std::vector<std::int64_t> idle_bytes;   ///< before each step and, one more, after the last
  std::int64_t peak_bytes = 0;
  std::size_t peak_slot = 0;              ///< the first step that reaches the peak
  std::vector<ValueId> released_outputs;  ///< handed over when they are made, then freed
};

/// Which values share a buffer when the nodes run in `order`: aliases always, in-place outputs
/// where the input dies at the node and nothing else there reads the same buffer. The runners
/// follow this.
/// @param bytes sizes of the graph's own values; an added value's follows from its original's
/// @param order every node of the dataflow once, producers before readers
/// Throws an input Error when an optimizer's state does not fit into 64 bits.
Timeline make_timeline(const Dataflow& dataflow, const BufferRules& rules,
                       const IdVector<ValueId, std::int64_t>& bytes, std::vector<NodeId> order,
                       const UpdateMemory& update = {});

/// The name of what a buffer was allocated for: a value's, or `parameter.exp_avg`.
std::string name_of(const Graph& graph, const Dataflow& dataflow, const Buffer& buffer);

/// The type of what a buffer was allocated for.
TensorType type_of(const Graph& graph, const Dataflow& dataflow, const Buffer& buffer);

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
