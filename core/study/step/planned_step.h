#pragma once

#include <map>

#include "core/planner/sequence_dataflow.h"
#include "core/study/step/study.h"

namespace stashscope {

/// Tells steps apart whose nodes differ: by their kinds, names and what they read and make.
std::uint64_t fingerprint(const Graph& graph);

/// Whether a planned sequence is in force.
bool is_planned(const Study& study);

/// Nodes that the sequence runs more than once, with the runs that this adds.
std::map<NodeId, std::size_t> repeated_nodes(const PlannedSequence& planned);

/// A study's step without plans as a task graph. A task costs picoseconds; those that cannot run
/// again may run once. What is returned to the user beside large tensors that are worth running
/// again is held to be there for the whole step; not so in an estimate below.
StepTasks planning_tasks(const PreparedStep& prepared, const StepMemory& memory,
                         const Dataflow& step, const NodeTimes& seconds,
                         Estimate estimate = Estimate::above);

constexpr double picoseconds_per_second = 1e12;

/// The sequence as choices keep it.
PlannedSequence planned_sequence(const PreparedStep& prepared, const StepTasks& tasks,
                                 std::span<const TaskId> sequence);

/// The sequence in tasks. Throws an input Error where the sequence does not fit the step.
std::vector<TaskId> sequence_of(const StepTasks& tasks, const PlannedSequence& planned);

/// The dataflow and the order of a planned sequence. Throws an input Error where the sequence does
/// not fit the step.
SequencedStep planned_step(const PreparedStep& prepared, const StepMemory& memory,
                           const PlannedSequence& planned);

}  // namespace stashscope
