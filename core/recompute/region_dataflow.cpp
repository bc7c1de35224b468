#include <algorithm>
#include <map>

#include "core/recompute/regions.h"

namespace stashscope {

namespace {

/// Bytes of the state of PyTorch's random generator on the CPU. Every call of a region keeps one,
/// and one more while it runs again.
constexpr std::int64_t generator_state_bytes = 5056;

using Calls = std::vector<const RegionCall*>;

/// By storage: until when derivatives use what the second run of the call saves of it; invalid:
/// beyond the step.
std::map<StorageId, NodeId> used_until(const CapturedStep& step, const RegionCall& call) {
  std::map<StorageId, NodeId> until;
  for (const std::size_t row : call.saved) {
    const SavedTensor& saved = step.saved[row];
    const NodeId last = saved.unpacked.valid() ? saved.used : saved.released;
    if (last < call.trigger) continue;
    const auto [known, is_new] = until.try_emplace(saved.storage, last);
    if (!is_new) known->second = std::max(known->second, last);
  }
  return until;
}

/// Extends the lives of the storages that the call keeps. What only the second run needs is left
/// out.
void keep_alive(const Graph& graph, const RegionCall& call, IdVector<StorageId, NodeId>& lives) {
  const CapturedStep& step = *graph.data().captured;
  if (call.kept.empty()) return;
  const std::map<StorageId, NodeId> used = used_until(step, call);
  for (const KeptNode& kept : call.kept) {
    for (const ValueId output : graph.node(kept.node).outputs) {
      const StorageId storage = step.storage_of[output];
      const auto known = used.find(storage);
      if (known != used.end()) lives[storage] = std::max(lives[storage], known->second);
      if (!kept.position) lives[storage] = std::max(lives[storage], call.released);
    }
  }
}

/// Until when the storages of a captured step live with the given calls as regions; invalid: they
/// outlive the step.
IdVector<StorageId, NodeId> lives_with(const Graph& graph, const Calls& calls) {
  const CapturedStep& step = *graph.data().captured;
  IdVector<StorageId, NodeId> lives(step.storages.size());
  for (const StorageId id : IdRange<StorageId>(lives.size())) {
    lives[id] = step.storages[id].python_last;
  }
  IdVector<StorageId, NodeId> before = lives;
  std::vector<bool> is_dropped(step.saved.size(), false);
  for (const RegionCall* const call : calls) {
    for (const std::size_t row : call->saved) is_dropped[row] = true;
    for (const StorageId id : call->arguments) lives[id] = std::max(lives[id], call->released);
  }
  for (std::size_t row = 0; row < step.saved.size(); ++row) {
    const SavedTensor& saved = step.saved[row];
    before[saved.storage] = std::max(before[saved.storage], saved.released);
    if (!is_dropped[row]) lives[saved.storage] = std::max(lives[saved.storage], saved.released);
  }
  for (const StorageId id : IdRange<StorageId>(lives.size())) {
    const CapturedStorage& storage = step.storages[id];
    const bool is_given = storage.root.valid() && !graph.value(storage.root).producer.valid();
    // Something besides Python and autograd decides how long other storages live.
    if (is_given || before[id] != storage.last) lives[id] = storage.last;
  }
  for (const RegionCall* const call : calls) keep_alive(graph, *call, lives);
  return lives;
}

/// Adds the second runs of regions to a captured step.
class RegionRunner {
 public:
  RegionRunner(const Graph& graph, Calls calls)
      : graph_(graph),
        step_(*graph.data().captured),
        calls_(std::move(calls)),
        lives_(lives_with(graph, calls_)),
        result_(graph),
        added_before_(graph.nodes().size()),
        copies_(graph.nodes().size(), 0),
        twin_of_(graph.values().size()) {}

  Dataflow run() && {
    hold_own_values();
    for (const RegionCall* const call : calls_) {
      add_state(*call, call->first, within_step(call->released));
      for (const KeptNode& kept : call->kept) hold_state_of(*call, kept.node);
    }
    // A later second run makes newer copies of what both make.
    std::ranges::stable_sort(calls_, {}, [](const RegionCall* each) { return each->trigger; });
    for (const RegionCall* const call : calls_) {
      if (call->trigger.valid()) run_again(*call);
    }
    result_.topology.connect(result_.graph_values + result_.cloned_values.size());
    result_.fixed = std::make_shared<const FixedRun>(FixedRun{order(), std::move(held_until_)});
    return std::move(result_);
  }

 private:
  NodeId within_step(NodeId node) const {
    return node.valid() ? node : NodeId(graph_.nodes().size() - 1);
  }
  NodeId next_node() const { return NodeId(result_.graph_nodes + result_.cloned_nodes.size()); }

  void hold_own_values() {
    held_until_.reserve(graph_.values().size());
    for (const ValueId value : IdRange<ValueId>(graph_.values().size())) {
      const NodeId maker = graph_.value(value).producer;
      const NodeId life = lives_[step_.storage_of[value]];
      // What is made after its storage is freed lies in a copy of the storage.
      held_until_.push_back(maker.valid() && life < maker ? NodeId() : life);
    }
  }

  NodeId add_node(NodeId original, AddedKind kind, NodeId before) {
    const NodeId id = next_node();
    result_.cloned_nodes.push_back(original);
    result_.kinds.push_back(kind);
    result_.copies.push_back(kind == AddedKind::recompute ? copies_[original]++ : 0);
    result_.topology.inputs.start_row();
    result_.topology.outputs.start_row();
    added_before_[before.index()].push_back(id);
    return id;
  }

  ValueId add_value(ValueId original, const StoredForm& form, NodeId until) {
    const ValueId id(result_.graph_values + result_.cloned_values.size());
    result_.cloned_values.push_back(original);
    result_.forms.push_back(form);
    result_.topology.outputs.push(id);
    held_until_.push_back(until);
    return id;
  }

  void add_state(const RegionCall& call, NodeId before, NodeId until) {
    NodeId at = call.first;
    while (graph_.node(at).outputs.empty()) at = NodeId(at.index() + 1);
    add_node(at, AddedKind::generator_state, before);
    StoredForm form;
    form.element = ElementType::uint8;
    form.fixed_bytes = generator_state_bytes;
    add_value(graph_.node(at).outputs[0], form, until);
  }

  /// A kept operator that may draw random numbers has a state of the generator until the next
  /// operator of the call: the policy of `stashscope.apply` then looks whether it drew any.
  void hold_state_of(const RegionCall& call, NodeId node) {
    const auto tags = graph_.node(node).attributes.texts("tags");
    if (std::ranges::find(tags, "random") == tags.end()) return;
    std::size_t next = node.index() + 1;
    while (next < call.end && !is_seen(NodeId(next))) ++next;
    add_state(call, node, next == call.end ? within_step(call.released) : NodeId(next - 1));
  }

  /// Whether a policy of a selective checkpoint sees the node.
  bool is_seen(NodeId node) const {
    const Node& seen = graph_.node(node);
    return seen.op_type != "detach" && seen.domain != "pytorch.python";
  }

  void run_again(const RegionCall& call) {
    const NodeId last(next_node().index() + call.again.size());
    add_state(call, call.trigger, last);
    // The copy during which a node, or the place of a kept node, is passed.
    std::map<NodeId, NodeId> copy_of;
    for (std::size_t i = 0; i < call.again.size(); ++i) {
      copy_of[call.again[i]] = NodeId(next_node().index() + i);
    }
    for (const KeptNode& kept : call.kept) {
      if (kept.position) copy_of[kept.node] = NodeId(next_node().index() + *kept.position - 1);
    }
    const std::map<StorageId, NodeId> used = used_until(step_, call);
    const auto until = [&](StorageId storage) {
      const auto saved = used.find(storage);
      if (saved != used.end()) return within_step(saved->second);
      const auto python = copy_of.find(step_.storages[storage].python_last);
      return python == copy_of.end() ? last : python->second;
    };
    for (const NodeId node : call.again) copy(node, call.trigger, until);
    for (const KeptNode& kept : call.kept) {
      if (kept.position) hand_out(kept.node, call.trigger, until);
    }
    rewire(call);
  }

  /// Holds kept outputs that the second run alone needs until Python no longer does.
  template <class Until>
  void hand_out(NodeId node, NodeId trigger, const Until& until) {
    for (const ValueId output : graph_.node(node).outputs) {
      const StorageId storage = step_.storage_of[output];
      if (lives_[storage] < trigger) held_until_[output] = until(storage);
    }
  }

  template <class Until>
  void copy(NodeId node, NodeId before, const Until& until) {
    add_node(node, AddedKind::recompute, before);
    for (const ValueId input : graph_.node(node).inputs) {
      result_.topology.inputs.push(twin_of_[input].valid() ? twin_of_[input] : input);
    }
    for (const ValueId output : graph_.node(node).outputs) {
      twin_of_[output] = add_value(output, {}, until(step_.storage_of[output]));
    }
  }

  /// Makes backward read the copies of what the first run no longer keeps.
  void rewire(const RegionCall& call) {
    const auto rewire_outputs = [&](NodeId node) {
      for (const ValueId output : graph_.node(node).outputs) rewire(output, call.trigger);
    };
    for (std::size_t i = call.first.index(); i < call.end; ++i) rewire_outputs(NodeId(i));
    for (const NodeId node : call.again) {
      if (node < call.first) rewire_outputs(node);
    }
    for (const NodeId node : call.again) {
      for (const ValueId output : graph_.node(node).outputs) twin_of_[output] = ValueId();
    }
  }

  void rewire(ValueId value, NodeId trigger) {
    const StorageId storage = step_.storage_of[value];
    const ValueId root = step_.storages[storage].root;
    const ValueId twin = twin_of_[value].valid() ? twin_of_[value] : twin_of_[root];
    if (!twin.valid()) return;
    for (const NodeId reader : graph_.topology().readers[value]) {
      if (reader < trigger || reader <= lives_[storage]) continue;
      const auto read = graph_.topology().inputs[reader];
      const auto now = result_.topology.inputs.row(reader);
      for (std::size_t i = 0; i < read.size(); ++i) {
        if (read[i] == value) now[i] = twin;
      }
    }
  }

  std::vector<NodeId> order() const {
    std::vector<NodeId> nodes;
    nodes.reserve(result_.topology.nodes());
    for (const NodeId node : IdRange<NodeId>(graph_.nodes().size())) {
      const auto& added = added_before_[node.index()];
      nodes.insert(nodes.end(), added.begin(), added.end());
      nodes.push_back(node);
    }
    return nodes;
  }

  const Graph& graph_;
  const CapturedStep& step_;
  Calls calls_;
  IdVector<StorageId, NodeId> lives_;  ///< of the graph's own storages
  Dataflow result_;
  IdVector<ValueId, NodeId> held_until_;
  std::vector<std::vector<NodeId>> added_before_;  ///< by node of the graph
  IdVector<NodeId, std::uint32_t> copies_;
  IdVector<ValueId, ValueId> twin_of_;  ///< the copy in the second run that is being added
};

}  // namespace

Dataflow with_regions(const Graph& graph, const std::vector<const NodePlan*>& plans) {
  Calls calls;
  for (const NodePlan* const plan : plans) {
    for (const RegionCall& call : plan->region->calls) calls.push_back(&call);
  }
  return calls.empty() ? Dataflow(graph) : RegionRunner(graph, std::move(calls)).run();
}

}  // namespace stashscope
