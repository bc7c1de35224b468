#include <algorithm>
#include <map>
#include <set>

#include "core/recompute/region_runs.h"
#include "core/recompute/regions.h"
#include "core/recompute/resized_storages.h"

namespace stashscope {

namespace {

/// Bytes of the state of PyTorch's random number generator on the CPU. The checkpoint of each call
/// holds one such state, and a second one while the call runs again.
constexpr std::int64_t generator_state_bytes = 5056;

using Runs = std::vector<RegionRun>;

/// For each storage in which the second run saves a tensor, the last node that uses the tensor for
/// a derivative. For a tensor that no derivative uses, this is the last node during which autograd
/// holds the tensor. The node is invalid if autograd holds the tensor beyond the end of the step.
std::map<StorageId, NodeId> used_until(const CapturedStep& step, const RegionRun& run) {
  std::map<StorageId, NodeId> until;
  for (const std::size_t row : run.call->saved) {
    const SavedTensor& saved = step.saved[row];
    const NodeId last = saved.unpacked.valid() ? saved.used : saved.released;
    if (last < run.trigger) continue;
    const auto [known, is_new] = until.try_emplace(saved.storage, last);
    if (!is_new) known->second = std::max(known->second, last);
  }
  return until;
}

/// Extends the lives of the storages of kept outputs up to their last use by a derivative. Uses by
/// the second run itself are left to `hand_out`. Outputs that the second run does not reach live as
/// long as the checkpoint.
void keep_alive(const Graph& graph, const RegionRun& run, IdVector<StorageId, NodeId>& lives) {
  const CapturedStep& step = *graph.data().captured;
  const RegionCall& call = *run.call;
  if (call.kept.empty()) return;
  const std::map<StorageId, NodeId> used = used_until(step, run);
  for (const KeptNode& kept : call.kept) {
    for (const ValueId output : graph.node(kept.node).outputs) {
      const StorageId storage = step.storage_of[output];
      const auto known = used.find(storage);
      if (known != used.end()) lives[storage] = std::max(lives[storage], known->second);
      if (!kept.position) lives[storage] = std::max(lives[storage], call.released);
    }
  }
}

/// The last node during which each storage of a captured step lives if the given calls run again;
/// invalid: the storage outlives the step.
IdVector<StorageId, NodeId> lives_with(const Graph& graph, const Runs& runs) {
  const CapturedStep& step = *graph.data().captured;
  IdVector<StorageId, NodeId> lives(step.storages.size());
  for (const StorageId id : IdRange<StorageId>(lives.size())) {
    lives[id] = step.storages[id].python_last;
  }
  IdVector<StorageId, NodeId> before = lives;
  std::vector<bool> is_dropped(step.saved.size(), false);
  for (const RegionRun& run : runs) {
    const RegionCall& call = *run.call;
    for (const std::size_t row : call.saved) is_dropped[row] = true;
    for (const StorageId id : call.arguments) {
      const bool is_held = std::ranges::find(run.asked, id) == run.asked.end();
      if (is_held) lives[id] = std::max(lives[id], call.released);
    }
  }
  for (std::size_t row = 0; row < step.saved.size(); ++row) {
    const SavedTensor& saved = step.saved[row];
    before[saved.storage] = std::max(before[saved.storage], saved.released);
    if (!is_dropped[row]) lives[saved.storage] = std::max(lives[saved.storage], saved.released);
  }
  for (const StorageId id : IdRange<StorageId>(lives.size())) {
    const CapturedStorage& storage = step.storages[id];
    const bool is_given = storage.root.valid() && !graph.value(storage.root).producer.valid();
    // Inputs of the step, and storages whose captured life Python and autograd do not explain, keep
    // their captured life.
    if (is_given || before[id] != storage.last) lives[id] = storage.last;
  }
  for (const RegionRun& run : runs) keep_alive(graph, run, lives);
  return lives;
}

/// Adds the second runs of regions to a captured step.
class RegionRunner {
 public:
  RegionRunner(const Graph& graph, Runs runs)
      : graph_(graph),
        step_(*graph.data().captured),
        runs_(std::move(runs)),
        lives_(lives_with(graph, runs_)),
        resized_(graph),
        result_(graph),
        added_before_(graph.nodes().size()),
        copies_(graph.nodes().size(), 0),
        twin_of_(graph.values().size()),
        output_again_(step_.storages.size()) {
    for (const SavedTensor& saved : step_.saved) {
      if (saved.is_number) numbers_.insert(saved.storage);
    }
  }

  Dataflow run() && {
    hold_own_values();
    for (const RegionRun& run : runs_) {
      const RegionCall& call = *run.call;
      add_state(call, call.first, within_step(call.released));
      for (const KeptNode& kept : call.kept) hold_state_of(call, kept.node);
    }
    // If two second runs copy the same value, later nodes read the copy of the later run.
    for (const RegionRun& run : runs_) {
      if (run.trigger.valid()) run_again(run);
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
      // A view made after the storage is freed is a view of the storage's copy.
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

  /// Before a kept operator that may draw random numbers, the policy of `stashscope.apply` stores
  /// the state of the generator. Before the next operator of the call, it compares this state with
  /// the current state, to find out whether the kept operator drew any numbers.
  void hold_state_of(const RegionCall& call, NodeId node) {
    if (!has_tag(graph_.node(node), "random")) return;
    std::size_t next = node.index() + 1;
    while (next < call.end && !is_seen(NodeId(next))) ++next;
    add_state(call, node, next == call.end ? within_step(call.released) : NodeId(next - 1));
  }

  /// Whether PyTorch calls the policy of a selective checkpoint for the node.
  bool is_seen(NodeId node) const {
    const Node& seen = graph_.node(node);
    return seen.op_type != "detach" && seen.domain != "pytorch.python";
  }

  void run_again(const RegionRun& run) {
    const RegionCall& call = *run.call;
    const NodeId last(next_node().index() + call.again.size());
    add_state(call, run.trigger, last);
    hold_asked(run, last);
    // For each node that runs again, its copy. For each kept or skipped node, the node that runs
    // before its place.
    std::map<NodeId, NodeId> copy_of;
    for (std::size_t i = 0; i < call.again.size(); ++i) {
      copy_of[call.again[i]] = NodeId(next_node().index() + i);
    }
    for (const KeptNode& kept : call.kept) {
      if (kept.position) copy_of[kept.node] = NodeId(next_node().index() + *kept.position - 1);
    }
    for (const KeptNode& skipped : call.skipped) {
      copy_of[skipped.node] = NodeId(next_node().index() + *skipped.position - 1);
      for (const ValueId output : graph_.node(skipped.node).outputs) stand_ins_.insert(output);
    }
    const std::map<StorageId, NodeId> used = used_until(step_, run);
    const auto until = [&](StorageId storage) {
      if (numbers_.contains(storage)) return last;
      const auto saved = used.find(storage);
      if (saved != used.end()) return within_step(saved->second);
      const auto python = copy_of.find(step_.storages[storage].python_last);
      return python == copy_of.end() ? last : python->second;
    };
    for (const NodeId node : call.again) copy(node, run.trigger, until);
    for (const KeptNode& kept : call.kept) {
      if (kept.position) hand_out(kept.node, run.trigger, until);
    }
    for (const StorageId id : call.made_again)
      output_again_[id] = twin_of_[step_.storages[id].root];
    rewire(run);
  }

  /// Extends the lives of arguments from earlier second runs up to `last`, the end of this run.
  void hold_asked(const RegionRun& run, NodeId last) {
    for (const StorageId id : run.asked) {
      const ValueId again = output_again_[id];
      NodeId& held = held_until_[again.valid() ? again : step_.storages[id].root];
      const bool is_added = held.index() >= result_.graph_nodes;
      if (held.valid() && (is_added || held < run.trigger)) held = last;
    }
  }

  /// Keeps the outputs of a kept node alive until the second run no longer needs them, unless they
  /// live beyond the start of the second run anyway.
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
      if (stand_ins_.contains(input)) continue;
      result_.topology.inputs.push(twin_of_[input].valid() ? twin_of_[input] : now(input, before));
    }
    for (const ValueId output : graph_.node(node).outputs) {
      twin_of_[output] = add_value(output, {}, until(step_.storage_of[output]));
    }
  }

  /// The value that a second run before `trigger` reads instead of `value`. The two differ for a
  /// parameter that was freed and gathered again, and for an output that an earlier second run made
  /// again.
  ValueId now(ValueId value, NodeId trigger) const {
    const StorageId before = step_.storage_of[value];
    if (output_again_[before].valid()) return output_again_[before];
    const StorageId storage = resized_.at(before, trigger);
    return storage == before ? value : step_.storages[storage].root;
  }

  /// Makes backward read the copies of the values that the first run no longer keeps.
  void rewire(const RegionRun& run) {
    const RegionCall& call = *run.call;
    const auto rewire_outputs = [&](NodeId node) {
      for (const ValueId output : graph_.node(node).outputs) rewire(output, run.trigger);
    };
    for (std::size_t i = call.first.index(); i < call.end; ++i) rewire_outputs(NodeId(i));
    for (const NodeId node : call.again) {
      if (node < call.first) rewire_outputs(node);
    }
    rewire_views_behind(run);
    for (const NodeId node : call.again) {
      for (const ValueId output : graph_.node(node).outputs) twin_of_[output] = ValueId();
    }
    stand_ins_.clear();
  }

  /// Nodes after the call may make views of the call's outputs, and autograd may save these views.
  void rewire_views_behind(const RegionRun& run) {
    const RegionCall& call = *run.call;
    if (call.readers.empty()) return;
    const NodeId last = *std::ranges::max_element(call.readers);
    for (std::size_t i = call.end; i < last.index(); ++i) {
      for (const ValueId output : graph_.node(NodeId(i)).outputs) {
        const ValueId root = step_.storages[step_.storage_of[output]].root;
        if (root != output && twin_of_[root].valid()) rewire(output, run.trigger);
      }
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
  Runs runs_;
  IdVector<StorageId, NodeId> lives_;  ///< by storage of the graph: its last node in the result
  ResizedStorages resized_;
  Dataflow result_;
  IdVector<ValueId, NodeId> held_until_;
  /// Added nodes, by the graph's node that they precede.
  std::vector<std::vector<NodeId>> added_before_;
  IdVector<NodeId, std::uint32_t> copies_;
  /// By value: its copy in the second run that is being added.
  IdVector<ValueId, ValueId> twin_of_;
  /// By storage of a freed output: its copy in the second run that made it again.
  IdVector<StorageId, ValueId> output_again_;
  /// Storages of numbers that PyTorch wrapped into tensors and autograd saves
  /// (`SavedTensor::is_number`). A second run holds them to its end.
  std::set<StorageId> numbers_;
  std::set<ValueId> stand_ins_;  ///< values without data in the second run that is being added
};

}  // namespace

Dataflow with_regions(const Graph& graph, const std::vector<const NodePlan*>& plans) {
  if (plans.empty()) return Dataflow(graph);
  return RegionRunner(graph, region_runs(*graph.data().captured, plans)).run();
}

}  // namespace stashscope
