#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/memory/buffers.h"
#include "core/memory/optimizer.h"

namespace stashscope {

using BufferId = Id<struct BufferTag>;

/// A piece of memory that holds one value, or several values that share the memory.
struct Buffer {
  ValueId root;  ///< the value for which the buffer was allocated; for an optimizer state, the
                 ///< parameter
  std::int64_t bytes = 0;
  std::uint32_t first_slot = 0;  ///< allocated when the node in this slot starts
  std::uint32_t last_slot = 0;   ///< freed when the node in this slot ends
  bool persistent = false;       ///< inputs, parameters, constants, optimizer states
  bool returned = false;         ///< holds a graph output that outlives the step
  std::optional<OptimizerState>
      state;  ///< if set: the buffer holds an optimizer state, not a value of the graph
};

/// Whether the buffer is there while the node of a slot runs.
inline bool is_alive(const Buffer& buffer, std::size_t slot) {
  return buffer.first_slot <= slot && slot <= buffer.last_slot;
}

/// The memory of one step, node by node. Slot i holds the i-th node of the order. The live bytes of
/// a slot count everything allocated while its node runs: live inputs, outputs, and all other live
/// buffers.
struct Timeline {
  std::vector<NodeId> order;
  IdVector<BufferId, Buffer> buffers;
  IdVector<ValueId, BufferId> buffer_of;  ///< invalid: neither given nor made by a node of `order`
  std::vector<std::int64_t> live_bytes;   ///< by slot
  std::vector<std::int64_t> idle_bytes;   ///< live bytes before each slot, and after the last one
  std::int64_t peak_bytes = 0;
  std::size_t peak_slot = 0;              ///< the first slot that reaches the peak
  std::vector<ValueId> released_outputs;  ///< gradients that the update consumes as soon as they
                                          ///< are made: their buffers are freed after the last
                                          ///< reader, although they are graph outputs
};

/// The memory of the step when its nodes run in `order`. Aliases always share a buffer. An in-place
/// output shares its input's buffer if the input dies at the node and the node reads the buffer
/// only once. The runners follow the same rule.
/// @param bytes sizes of the graph's own values; sizes of added values follow from their originals
/// @param order every node of the dataflow once, producers before readers
/// Throws an input Error if the size of an optimizer state overflows 64 bits.
Timeline make_timeline(const Dataflow& dataflow, const BufferRules& rules,
                       const IdVector<ValueId, std::int64_t>& bytes, std::vector<NodeId> order,
                       const UpdateMemory& update = {});

/// Bytes that are live during the whole step.
std::int64_t persistent_bytes(const Timeline& timeline);
/// Bytes that are live together at the end of the step: the persistent bytes, and what outlives the
/// step. No plan frees them.
std::int64_t held_bytes(const Timeline& timeline);

/// Name of a buffer's contents: a value's name, or `parameter.exp_avg`.
std::string name_of(const Graph& graph, const Dataflow& dataflow, const Buffer& buffer);

/// Type of the value or optimizer state that a buffer was allocated for.
TensorType type_of(const Graph& graph, const Dataflow& dataflow, const Buffer& buffer);

/// The buffers alive at `slot`, largest first.
std::vector<BufferId> alive_at(const Timeline& timeline, std::size_t slot);

/// Device bytes of a value of the dataflow. @param bytes sizes of the graph's own values
std::int64_t stored_bytes(const Dataflow& dataflow, const IdVector<ValueId, std::int64_t>& bytes,
                          ValueId value);

/// The bytes of the buffers as an expression in the model's dimension names. Buffers on the host or
/// of unknown shape count as 0.
Expr symbolic_bytes(const Graph& graph, const Dataflow& dataflow, const Timeline& timeline,
                    const std::vector<BufferId>& buffers);

/// The bytes of the buffers alive at `slot`, as an expression in the model's dimension names.
/// Workspace and buffers on the host or of unknown shape do not count.
Expr symbolic_bytes(const Graph& graph, const Dataflow& dataflow, const Timeline& timeline,
                    std::size_t slot);

/// Bytes of the stashed values. A shared buffer counts once, a persistent buffer not at all.
std::int64_t stashed_bytes(const Timeline& timeline, const std::vector<ValueId>& stashed);

}  // namespace stashscope
