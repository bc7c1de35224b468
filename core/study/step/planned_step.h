#pragma once

#include <map>

#include "core/planner/sequence_dataflow.h"
#include "core/study/step/study.h"

namespace stashscope {

/// Hash of a graph's nodes (their operators, names, inputs and outputs) and of the number of
/// micro-batches.
std::uint64_t fingerprint(const Graph& graph);

/// Whether the choices have a planned sequence that belongs to this step.
bool is_planned(const StudyParts& study);

/// Nodes that the sequence runs more than once, with the number of additional runs.
std::map<NodeId, std::size_t> repeated_nodes(const PlannedSequence& planned);

/// A study's step without plans as a task graph. Costs are in picoseconds; tasks that cannot run
/// again are limited to one run. A task with graph outputs may run again if its graph outputs are
/// small compared with its other outputs. The graph outputs of such a task are live during the
/// whole step, except in an estimate from below.
StepTasks planning_tasks(const PreparedStep& prepared, const StepMemory& memory,
                         const Dataflow& step, const NodeTimes& seconds,
                         Estimate estimate = Estimate::above);

constexpr double picoseconds_per_second = 1e12;

/// Converts a sequence of tasks to the form used in choices.
PlannedSequence planned_sequence(const PreparedStep& prepared, const StepTasks& tasks,
                                 std::span<const TaskId> sequence);

/// Converts a planned sequence to tasks. Throws an input Error if the sequence does not fit the
/// step.
std::vector<TaskId> sequence_of(const StepTasks& tasks, const PlannedSequence& planned);

/// The dataflow and the order of a planned sequence. Throws an input Error if the sequence does not
/// fit the step.
SequencedStep planned_step(const PreparedStep& prepared, const StepMemory& memory,
                           const PlannedSequence& planned);

}  // namespace stashscope
