#pragma once

#include <span>
#include <vector>

#include "core/ops/rules/op.h"
#include "core/schedule/tasks/step_tasks.h"

namespace stashscope {

/// A sequence of tasks as a dataflow with clones, and the order of its nodes.
struct SequencedStep {
  Dataflow dataflow;
  std::vector<NodeId> order;
};

/// Converts a sequence of tasks. The first run of a task is the graph's own node; each later run is
/// a clone. Every run reads the newest copy of each input at that time. Views refer to the newest
/// copies too; each new copy gets new views.
/// @param tasks the tasks of the graph's own dataflow @param sequence a valid sequence
SequencedStep sequence_dataflow(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                                const StepTasks& tasks, std::span<const TaskId> sequence);

/// Whether a node can run more than once: its operator is known, and it is neither a node with
/// subgraphs nor a boundary between forward and backward.
bool can_run_again(const Graph& graph, const IdVector<NodeId, const Op*>& ops, NodeId node);

}  // namespace stashscope
