#include "core/schedule/tasks/step_tasks.h"

#include <algorithm>

#include "core/graph/traversal.h"
#include "core/memory/timeline.h"

namespace stashscope {

namespace {

void sort_unique(std::vector<ItemId>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

class StepTasksBuilder {
 public:
  StepTasksBuilder(const Dataflow& dataflow, const StepMemory& memory,
                   const IdVector<NodeId, std::int64_t>& node_cost, Estimate estimate)
      : dataflow_(dataflow),
        topology_(dataflow.topology),
        memory_(memory),
        node_cost_(node_cost),
        estimate_(estimate),
        is_kept_(memory.rules.is_output),
        item_of_(topology_.values()),
        items_of_(topology_.values()) {
    for (const ValueId value : memory.update.released) is_kept_[value] = false;
  }

  StepTasks build() {
    result_.task_of = IdVector<NodeId, TaskId>(topology_.nodes());
    for (const NodeId node : topological_order(topology_)) {
      is_view(node) ? add_view(node) : add_task(node);
    }
    add_persistent();
    add_readers();
    for (const ValueId value : IdRange<ValueId>(topology_.values())) {
      result_.items_of.start_row();
      for (const ItemId item : items_of_[value]) result_.items_of.push(item);
    }
    return std::move(result_);
  }

 private:
  /// The input whose buffer an output shares; invalid if the output has its own buffer.
  ValueId aliased(NodeId node, std::size_t output) const {
    for (const BufferShare& share : memory_.aliases(dataflow_, node)) {
      if (share.output == output) return topology_.inputs[node][share.input];
    }
    return {};
  }

  bool is_view(NodeId node) const {
    return topology_.outputs[node].size() == 1 && aliased(node, 0).valid();
  }

  bool is_kept(ValueId value) const {
    return value.index() < dataflow_.graph_values && is_kept_[value];
  }

  std::vector<ItemId> items_read(NodeId node) const {
    std::vector<ItemId> items;
    for (const ValueId input : topology_.inputs[node]) {
      if (!input.valid()) continue;
      items.insert(items.end(), items_of_[input].begin(), items_of_[input].end());
    }
    sort_unique(items);
    return items;
  }

  void add_view(NodeId node) {
    const ValueId view = topology_.outputs[node][0];
    const ValueId tensor = aliased(node, 0);
    items_of_[view] = estimate_ == Estimate::above ? items_read(node) : items_of_[tensor];
    share_tensor(view, tensor);
  }

  void share_tensor(ValueId value, ValueId with) {
    item_of_[value] = item_of_[with];
    if (is_kept(value) && item_of_[value].valid()) result_.graph.kept[item_of_[value]] = true;
  }

  void add_task(NodeId node) {
    TaskGraph& graph = result_.graph;
    const TaskId task = graph.cost.push_back(node_cost_[dataflow_.origin(node)]);
    result_.task_of[node] = task;
    result_.node_of.push_back(node);
    graph.most_runs.push_back(unlimited_runs);
    graph.inputs.start_row();
    for (const ItemId item : items_read(node)) graph.inputs.push(item);
    graph.outputs.start_row();
    const auto outputs = topology_.outputs[node];
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const ValueId shared = aliased(node, i);
      // A view that is one of several outputs of a node gets an item of 0 bytes, so that readers of
      // the view run after the node.
      const std::int64_t bytes =
          shared.valid() ? 0 : stored_bytes(dataflow_, memory_.bytes, outputs[i]);
      const ItemId item = add_item(task, outputs[i], bytes);
      if (!shared.valid()) continue;
      graph.kept[item] = false;
      items_of_[outputs[i]].insert(items_of_[outputs[i]].end(), items_of_[shared].begin(),
                                   items_of_[shared].end());
      sort_unique(items_of_[outputs[i]]);
      share_tensor(outputs[i], shared);
    }
    if (memory_.workspace.empty() || !dataflow_.runs_origin(node)) return;
    const std::int64_t workspace = memory_.workspace[dataflow_.origin(node)];
    if (workspace > 0) add_item(task, {}, workspace);
  }

  ItemId add_item(TaskId task, ValueId value, std::int64_t bytes) {
    TaskGraph& graph = result_.graph;
    const ItemId item = graph.bytes.push_back(bytes);
    graph.maker.push_back(task);
    graph.kept.push_back(value.valid() && is_kept(value));
    graph.outputs.push(item);
    result_.value_of.push_back(value);
    if (!value.valid()) return item;
    item_of_[value] = item;
    items_of_[value] = {item};
    return item;
  }

  void add_persistent() {
    std::int64_t& persistent = result_.graph.persistent_bytes;
    for (const ValueId value : IdRange<ValueId>(dataflow_.graph_values)) {
      if (memory_.rules.is_persistent(value)) persistent += memory_.bytes[value];
    }
    for (const ParameterState& each : memory_.update.states) {
      persistent += each.bytes(memory_.bytes[each.parameter]);
    }
  }

  void add_readers() {
    TaskGraph& graph = result_.graph;
    std::vector<std::vector<ItemReader>> readers(graph.items());
    for (const TaskId task : IdRange<TaskId>(graph.tasks())) {
      const std::vector<ItemId> taken = items_taken_over(task);
      for (const ItemId item : graph.inputs[task]) {
        const bool takes_over = std::find(taken.begin(), taken.end(), item) != taken.end();
        readers[item.index()].push_back({task, takes_over});
      }
    }
    for (const auto& row : readers) {
      graph.readers.start_row();
      for (const ItemReader& each : row) graph.readers.push(each);
    }
  }

  /// The inputs whose memory the outputs may take over. With Estimate::above, at most one for each
  /// output.
  std::vector<ItemId> items_taken_over(TaskId task) const {
    const NodeId node = result_.node_of[task];
    std::vector<ItemId> taken;
    std::vector<std::size_t> placed;
    const auto contains = [](const auto& list, const auto& item) {
      return std::find(list.begin(), list.end(), item) != list.end();
    };
    for (const BufferShare& share : memory_.in_place(dataflow_, node)) {
      const ItemId item = item_of_[topology_.inputs[node][share.input]];
      if (!item.valid() || contains(taken, item)) continue;
      if (estimate_ == Estimate::above && contains(placed, share.output)) continue;
      if (result_.graph.kept[item] || times_read(node, item) != 1) continue;
      if (aliased(node, share.output).valid()) continue;
      placed.push_back(share.output);
      taken.push_back(item);
    }
    return taken;
  }

  std::ptrdiff_t times_read(NodeId node, ItemId item) const {
    const auto inputs = topology_.inputs[node];
    return std::count_if(inputs.begin(), inputs.end(),
                         [&](ValueId input) { return input.valid() && item_of_[input] == item; });
  }

  const Dataflow& dataflow_;
  const Topology& topology_;
  const StepMemory& memory_;
  const IdVector<NodeId, std::int64_t>& node_cost_;
  Estimate estimate_;
  IdVector<ValueId, bool> is_kept_;
  IdVector<ValueId, ItemId> item_of_;
  IdVector<ValueId, std::vector<ItemId>> items_of_;
  StepTasks result_;
};

}  // namespace

std::vector<TaskId> StepTasks::tasks(const std::vector<NodeId>& order) const {
  std::vector<TaskId> tasks;
  for (const NodeId node : order) {
    if (task_of[node].valid()) tasks.push_back(task_of[node]);
  }
  return tasks;
}

std::vector<NodeId> StepTasks::nodes(const Topology& topology,
                                     const std::vector<TaskId>& order) const {
  // A task has an even position; a view has the odd position after the last task it depends on.
  IdVector<NodeId, std::size_t> place(topology.nodes(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) place[node_of[order[i]]] = 2 * i + 2;
  std::vector<NodeId> nodes = topological_order(topology);
  for (const NodeId node : nodes) {
    if (task_of[node].valid()) continue;
    for (const ValueId input : topology.inputs[node]) {
      const NodeId maker = input.valid() ? topology.producer[input] : NodeId();
      if (maker.valid()) place[node] = std::max(place[node], place[maker] | 1U);
    }
  }
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](NodeId a, NodeId b) { return place[a] < place[b]; });
  return nodes;
}

StepTasks step_tasks(const Dataflow& dataflow, const StepMemory& memory,
                     const IdVector<NodeId, std::int64_t>& node_cost, Estimate estimate) {
  return StepTasksBuilder(dataflow, memory, node_cost, estimate).build();
}

}  // namespace stashscope
