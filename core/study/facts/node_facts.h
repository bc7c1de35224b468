#pragma once

#include <optional>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// A plan for a node's outputs and its state in the study.
struct NodePlanState {
  const NodePlan* plan;
  bool chosen = false;   ///< the plan's cluster is on
  bool applied = false;  ///< the plan is on, and no count, other plan or pinned node prevents it
  bool pinned = false;   ///< the node's outputs stay in memory
};

/// All plans of a node of the model, first those of `Opportunities::plans`.
std::vector<NodePlanState> plans_of_node(const Study& study, NodeId node);

/// The reasons why stashed outputs of a node of the model have no plan.
std::vector<const Obstacle*> obstacles_of_node(const Study& study, NodeId node);

/// A value of the current dataflow as it is stored. A compressed tensor has a narrower element type
/// than its original. An offloaded tensor takes no bytes on the device.
struct StoredValue {
  TensorType type;
  std::int64_t bytes = 0;
};
StoredValue stored_value(const Study& study, ValueId value);

/// A node that reads a value, and its slot in the current order.
struct Read {
  NodeId reader;
  std::size_t slot = 0;
};
/// All reads of a value, in the order of their slots.
std::vector<Read> reads_of(const Study& study, ValueId value);

/// The last read of a buffer.
struct LastRead {
  ValueId value;  ///< the value in the buffer that is read
  NodeId reader;
  std::size_t slot = 0;  ///< slot of the reader
};

/// The last read of a buffer. Nothing if no node reads the buffer.
std::optional<LastRead> last_read(const Study& study, BufferId buffer);
/// The last read of the buffer of the first output of `node` that has a buffer. Nothing if no
/// output has a buffer or nothing reads the buffer.
std::optional<LastRead> last_read_of_memory(const Study& study, NodeId node);

/// The node that allocates the buffer of the first output of `node` that has a buffer. This is
/// `node` itself, or an earlier node if the output is a view or is computed in place. Invalid if
/// the buffer exists before the step, or if no output has a buffer.
NodeId maker_of_memory(const Study& study, NodeId node);

}  // namespace stashscope
