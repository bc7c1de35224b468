#pragma once

#include <span>
#include <vector>

#include "core/ops/rules/op.h"
#include "core/schedule/tasks/step_tasks.h"

namespace stashscope {

/// A sequence of tasks as a dataflow of the graph with clones, and the order of its nodes.
struct SequencedStep {
  Dataflow dataflow;
  std::vector<NodeId> order;
};

/// The first run of a task is the graph's own node, each later one a clone. Every run reads the
/// copies that are the newest when it runs; views are made of these copies, anew where there are
/// new ones.
/// @param tasks of the graph's own dataflow @param sequence valid
SequencedStep sequence_dataflow(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                                const StepTasks& tasks, std::span<const TaskId> sequence);

/// Whether a node can run more than once: its operator is known, it has no subgraphs and is no
/// boundary between forward and backward.
bool can_run_again(const Graph& graph, const IdVector<NodeId, const Op*>& ops, NodeId node);

}  // namespace stashscope
