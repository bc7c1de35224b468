#include "core/planner/sequence_dataflow.h"

#include <algorithm>

#include "core/graph/traversal.h"
#include "core/ops/families/control_flow.h"

namespace stashscope {

namespace {

/// The current copy of a view, with its inputs.
struct MadeView {
  std::vector<ValueId> inputs;
  ValueId output;
  bool is_made = false;
};

class SequenceWriter {
 public:
  SequenceWriter(const Graph& graph, const IdVector<NodeId, const Op*>& ops, const StepTasks& tasks,
                 std::span<const TaskId> sequence)
      : old_(graph.topology()),
        ops_(ops),
        tasks_(tasks),
        sequence_(sequence),
        step_{Dataflow(graph), {}},
        current_(old_.values()),
        inputs_(old_.nodes()),
        views_(old_.nodes()),
        copies_(old_.nodes(), 0),
        has_run_(tasks.graph.tasks(), false) {
    for (const ValueId value : IdRange<ValueId>(old_.values())) current_[value] = value;
  }

  SequencedStep write() {
    place_unread_views();
    auto unread = unread_.begin();
    const auto write_unread_until = [&](std::size_t place) {
      for (; unread != unread_.end() && unread->first <= place; ++unread) {
        make_views_for(old_.outputs[unread->second][0]);
      }
    };
    write_unread_until(0);
    for (std::size_t i = 0; i < sequence_.size(); ++i) {
      run(sequence_[i]);
      write_unread_until(i + 1);
    }
    connect();
    return std::move(step_);
  }

 private:
  bool is_view(NodeId node) const { return !tasks_.task_of[node].valid(); }

  void run(TaskId task) {
    const NodeId node = tasks_.node_of[task];
    for (const ValueId input : old_.inputs[node]) make_views_for(input);
    std::vector<ValueId> inputs = current_inputs(node);
    if (!has_run_[task]) {
      has_run_[task] = true;
      write_original(node, std::move(inputs));
    } else {
      write_clone(node, std::move(inputs));
    }
  }

  std::vector<ValueId> current_inputs(NodeId node) const {
    std::vector<ValueId> inputs;
    for (const ValueId input : old_.inputs[node]) {
      inputs.push_back(input.valid() ? current_[input] : input);
    }
    return inputs;
  }

  /// Updates the views on which a value depends, each view after the views that it reads.
  void make_views_for(ValueId value) {
    std::vector<std::pair<NodeId, bool>> open;
    const auto visit = [&](ValueId each) {
      const NodeId maker = each.valid() ? old_.producer[each] : NodeId();
      if (maker.valid() && is_view(maker)) open.emplace_back(maker, false);
    };
    visit(value);
    while (!open.empty()) {
      auto& [view, inputs_done] = open.back();
      const NodeId node = view;
      if (inputs_done) {
        make_view(node);
        open.pop_back();
        continue;
      }
      inputs_done = true;
      for (const ValueId input : old_.inputs[node]) visit(input);
    }
  }

  void make_view(NodeId view) {
    MadeView& made = views_[view];
    std::vector<ValueId> inputs = current_inputs(view);
    if (made.is_made && made.inputs == inputs) return;
    const ValueId output = old_.outputs[view][0];
    const bool is_first = !made.is_made;
    made = {inputs, output, true};
    if (is_first) {
      write_original(view, std::move(inputs));
    } else {
      write_clone(view, std::move(inputs));
    }
  }

  void write_original(NodeId node, std::vector<ValueId> inputs) {
    inputs_[node] = std::move(inputs);
    step_.order.push_back(node);
  }

  void write_clone(NodeId node, std::vector<ValueId> inputs) {
    Dataflow& dataflow = step_.dataflow;
    const NodeId clone(dataflow.graph_nodes + dataflow.cloned_nodes.size());
    if (const Op* const op = ops_[node]; op != nullptr && op->random) seed(node);
    dataflow.cloned_nodes.push_back(node);
    dataflow.kinds.push_back(AddedKind::recompute);
    dataflow.copies.push_back(copies_[node]++);
    cloned_inputs_.push_back(std::move(inputs));
    cloned_outputs_.emplace_back();
    for (const ValueId output : old_.outputs[node]) {
      current_[output] = ValueId(dataflow.graph_values + dataflow.cloned_values.size());
      dataflow.cloned_values.push_back(output);
      dataflow.forms.emplace_back();
      cloned_outputs_.back().push_back(current_[output]);
    }
    step_.order.push_back(clone);
  }

  void seed(NodeId node) {
    auto& seeded = step_.dataflow.seeded_nodes;
    if (std::find(seeded.begin(), seeded.end(), node) == seeded.end()) seeded.push_back(node);
  }

  /// Finds the position at which to make each view that no task reads. Such a view is made once, as
  /// soon as its inputs exist.
  void place_unread_views() {
    std::vector<NodeId> nodes = topological_order(old_);
    IdVector<NodeId, bool> is_read(old_.nodes(), false);
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      if (is_view(*node) && !is_read[*node]) continue;
      for (const ValueId input : old_.inputs[*node]) {
        const NodeId maker = input.valid() ? old_.producer[input] : NodeId();
        if (maker.valid()) is_read[maker] = true;
      }
    }
    IdVector<NodeId, std::size_t> place(old_.nodes(), 0);
    for (std::size_t i = sequence_.size(); i > 0; --i) {
      place[tasks_.node_of[sequence_[i - 1]]] = i;
    }
    for (const NodeId node : nodes) {
      if (!is_view(node)) continue;
      for (const ValueId input : old_.inputs[node]) {
        const NodeId maker = input.valid() ? old_.producer[input] : NodeId();
        if (maker.valid()) place[node] = std::max(place[node], place[maker]);
      }
      if (!is_read[node]) unread_.emplace_back(place[node], node);
    }
    std::stable_sort(unread_.begin(), unread_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }

  void connect() {
    Dataflow& dataflow = step_.dataflow;
    Topology topology;
    const auto add_row = [](auto& rows, const auto& items) {
      rows.start_row();
      for (const ValueId each : items) rows.push(each);
    };
    for (const NodeId node : IdRange<NodeId>(old_.nodes())) {
      add_row(topology.inputs, inputs_[node]);
      add_row(topology.outputs, old_.outputs[node]);
    }
    for (std::size_t i = 0; i < cloned_inputs_.size(); ++i) {
      add_row(topology.inputs, cloned_inputs_[i]);
      add_row(topology.outputs, cloned_outputs_[i]);
    }
    topology.connect(dataflow.graph_values + dataflow.cloned_values.size());
    dataflow.topology = std::move(topology);
  }

  const Topology& old_;
  const IdVector<NodeId, const Op*>& ops_;
  const StepTasks& tasks_;
  std::span<const TaskId> sequence_;
  SequencedStep step_;
  IdVector<ValueId, ValueId> current_;  // newest copy, by value of the graph
  IdVector<NodeId, std::vector<ValueId>> inputs_;
  std::vector<std::vector<ValueId>> cloned_inputs_;
  std::vector<std::vector<ValueId>> cloned_outputs_;
  IdVector<NodeId, MadeView> views_;
  IdVector<NodeId, std::uint32_t> copies_;  // number of clones so far
  IdVector<TaskId, bool> has_run_;
  std::vector<std::pair<std::size_t, NodeId>> unread_;  // views that no task reads, by position
};

}  // namespace

SequencedStep sequence_dataflow(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                                const StepTasks& tasks, std::span<const TaskId> sequence) {
  return SequenceWriter(graph, ops, tasks, sequence).write();
}

bool can_run_again(const Graph& graph, const IdVector<NodeId, const Op*>& ops, NodeId node) {
  return ops[node] != nullptr && !is_control_flow(graph.node(node)) && !is_yield(graph.node(node));
}

}  // namespace stashscope
