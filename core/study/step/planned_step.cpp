#include "core/study/step/planned_step.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/advice.h"
#include "core/base/error.h"
#include "core/base/fnv_hash.h"
#include "core/graph/micro_batches.h"

namespace stashscope {

namespace {

void add_ids(std::span<const ValueId> ids, FnvHash& hash) {
  for (const ValueId id : ids) hash.add_number(id.valid() ? id.index() + 1 : 0);
  hash.add_number(ids.size());
}

/// Bytes of a task's outputs, separately for outputs that the step returns and for other outputs.
struct MadeBytes {
  std::int64_t returned = 0;
  std::int64_t others = 0;
};

MadeBytes made_bytes(const TaskGraph& graph, TaskId task) {
  MadeBytes made;
  for (const ItemId item : graph.outputs[task]) {
    (graph.kept[item] ? made.returned : made.others) += graph.bytes[item];
  }
  return made;
}

/// Whether the returned outputs, such as the running statistics of a normalization or the mean of a
/// loss, are far smaller than the other outputs. The node may then run again; its first run makes
/// the returned copy.
bool returns_little(const MadeBytes& made) {
  constexpr std::int64_t least_ratio = 16;
  return made.returned * least_ratio <= made.others;
}

void hold_returned(TaskGraph& graph, TaskId task) {
  for (const ItemId item : graph.outputs[task]) {
    if (!graph.kept[item]) continue;
    graph.kept[item] = false;
    graph.persistent_bytes += graph.bytes[item];
  }
}

/// Limits the makers of the forward outputs to one run. Forward returns these outputs once, and
/// their gradients come back in the same memory.
void run_once_before(NodeId yield, const Topology& topology, StepTasks& tasks) {
  for (const ValueId value : topology.inputs[yield]) {
    for (const ItemId item : tasks.items_of[value]) {
      tasks.graph.most_runs[tasks.graph.maker[item]] = 1;
    }
  }
}

[[noreturn]] void fail_sequence(const std::string& what) {
  fail_input("the planned sequence", what, option_hint({Advice::Action::plan_again}));
}

}  // namespace

std::uint64_t fingerprint(const Graph& graph) {
  FnvHash hash;
  for (const Node& node : graph.nodes()) {
    hash.add_text(node.op_type);
    hash.add_text(node.name);
    add_ids(node.inputs, hash);
    add_ids(node.outputs, hash);
  }
  if (const std::int64_t runs = runs_in_step(graph); runs > 1) {
    hash.add_word(static_cast<std::uint64_t>(runs));
  }
  return hash.value();
}

bool is_planned(const StudyParts& study) {
  const auto& sequence = study.choices.plans.sequence;
  return sequence && sequence->graph == study.prepared->fingerprint;
}

std::map<NodeId, std::size_t> repeated_nodes(const PlannedSequence& planned) {
  std::set<std::uint32_t> seen;
  std::map<NodeId, std::size_t> repeated;
  for (const std::uint32_t run : planned.runs) {
    if (!seen.insert(run).second) ++repeated[NodeId(run)];
  }
  return repeated;
}

StepTasks planning_tasks(const PreparedStep& prepared, const StepMemory& memory,
                         const Dataflow& step, const NodeTimes& seconds, Estimate estimate) {
  const Graph& graph = *prepared.step.graph;
  IdVector<NodeId, std::int64_t> cost(graph.nodes().size(), 0);
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const double picoseconds = seconds[NodeId(i)] * picoseconds_per_second;
    const bool is_below = estimate == Estimate::below;
    cost[NodeId(i)] = std::llround(is_below ? std::floor(picoseconds) : picoseconds);
  }
  StepTasks tasks = step_tasks(step, memory, cost, estimate);
  for (const TaskId task : IdRange<TaskId>(tasks.graph.tasks())) {
    const MadeBytes made = made_bytes(tasks.graph, task);
    if (!can_run_again(graph, prepared.ops, tasks.node_of[task]) || !returns_little(made)) {
      tasks.graph.most_runs[task] = 1;
    } else if (made.returned > 0 && estimate == Estimate::above) {
      hold_returned(tasks.graph, task);
    }
  }
  const NodeId yield = prepared.step.boundary.yield;
  if (yield.valid()) run_once_before(yield, step.topology, tasks);
  return tasks;
}

PlannedSequence planned_sequence(const PreparedStep& prepared, const StepTasks& tasks,
                                 std::span<const TaskId> sequence) {
  PlannedSequence planned{{}, prepared.fingerprint};
  planned.runs.reserve(sequence.size());
  for (const TaskId task : sequence) {
    planned.runs.push_back(static_cast<std::uint32_t>(tasks.node_of[task].index()));
  }
  return planned;
}

std::vector<TaskId> sequence_of(const StepTasks& tasks, const PlannedSequence& planned) {
  std::vector<TaskId> sequence;
  sequence.reserve(planned.runs.size());
  for (const std::uint32_t run : planned.runs) {
    const bool is_task = run < tasks.task_of.size() && tasks.task_of[NodeId(run)].valid();
    if (!is_task) fail_sequence("names node " + std::to_string(run) + ", which cannot be run");
    sequence.push_back(tasks.task_of[NodeId(run)]);
  }
  std::vector<std::uint32_t> runs(tasks.graph.tasks(), 0);
  for (const TaskId task : sequence) {
    if (++runs[task.index()] <= tasks.graph.most_runs[task]) continue;
    fail_sequence("runs node " + std::to_string(tasks.node_of[task].index()) +
                  " more often than this node can run");
  }
  try {
    memory_of(tasks.graph, sequence);
  } catch (const Error& error) {
    throw error.within("the planned sequence");
  }
  return sequence;
}

SequencedStep planned_step(const PreparedStep& prepared, const StepMemory& memory,
                           const PlannedSequence& planned) {
  const Graph& graph = *prepared.step.graph;
  const StepTasks tasks = planning_tasks(prepared, memory, Dataflow(graph), {});
  return sequence_dataflow(graph, prepared.ops, tasks, sequence_of(tasks, planned));
}

}  // namespace stashscope
