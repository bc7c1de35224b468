#include "core/recompute/region_finder.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "core/base/text.h"
#include "core/graph/node_path.h"
#include "core/recompute/operator_calls.h"
#include "core/recompute/region_clusters.h"
#include "core/recompute/resized_storages.h"

namespace stashscope {

namespace {

class RegionFinder {
 public:
  explicit RegionFinder(const Graph& graph)
      : graph_(graph),
        step_(*graph.data().captured),
        resized_(graph),
        rows_of_(step_.storages.size()) {
    for (std::size_t row = 0; row < step_.saved.size(); ++row) {
      rows_of_[step_.saved[row].storage].push_back(row);
    }
    made_from_.resize(graph.nodes().size());
    changes_.resize(step_.storages.size());
    for (const NodeId id : IdRange<NodeId>(graph.nodes().size())) {
      const Node& node = graph.node(id);
      const bool is_second_run = step_.phases[id] == CapturedPhase::recompute;
      if (is_second_run) recomputed_.insert(join(path_of(node).scope, "."));
      if (!is_in_place(node)) continue;
      for (const ValueId output : node.outputs) changes_[step_.storage_of[output]].push_back(id);
    }
    for (const StorageId id : IdRange<StorageId>(step_.storages.size())) {
      const NodeId maker = maker_of(id);
      if (maker.valid()) made_from_[maker.index()].push_back(id);
    }
  }

  /// @param frees_outputs whether the regions also free the outputs of their modules; if so, leaves
  /// out modules whose outputs no later node saves, or a later node changes in place
  std::vector<Region> find(bool frees_outputs) const {
    std::vector<Region> regions;
    std::map<std::string, std::size_t> places;
    for (const ModuleCall& call : step_.calls) {
      const auto [place, is_new] = places.try_emplace(call.module, regions.size());
      if (is_new) regions.push_back({call.module, {}, {}});
      Region& region = regions[place->second];
      region.frees_outputs = frees_outputs;
      region.calls.push_back(region_call(call, frees_outputs));
      add_freed(region);
    }
    std::erase_if(regions, [&](const Region& each) {
      return !is_usable(each) || (frees_outputs && !can_free_outputs(each));
    });
    // Regions of a cluster are applied together. If one of them read an output that another frees,
    // the reader's checkpoint would hold this output as an argument.
    const std::vector<Region> all = frees_outputs ? regions : std::vector<Region>();
    std::erase_if(regions, [&](const Region& each) { return is_read_by_its_kind(each, all); });
    return regions;
  }

 private:
  /// Positions in `CapturedStep::saved` of the tensors that a checkpoint of the call would not
  /// save.
  std::vector<std::size_t> saved_in(const ModuleCall& call) const {
    const auto from = std::ranges::lower_bound(step_.saved, call.first, {}, &SavedTensor::node);
    std::vector<std::size_t> found;
    for (auto row = from; row != step_.saved.end() && call.has(row->node); ++row) {
      if (!row->is_number) found.push_back(static_cast<std::size_t>(row - step_.saved.begin()));
    }
    return found;
  }

  /// The positions in `CapturedStep::saved` of the tensors that lie in the storage `id`, which the
  /// call makes, and that nodes after the call save. A hook around the forward pass of the whole
  /// model frees these tensors. So the result is empty if a node outside of this forward pass, or
  /// before the call, saves a tensor of the storage.
  std::vector<std::size_t> saved_after(const ModuleCall& call, StorageId id) const {
    std::vector<std::size_t> found;
    for (const std::size_t row : rows_of_[id]) {
      const SavedTensor& saved = step_.saved[row];
      if (saved.is_number || call.has(saved.node)) continue;
      if (saved.node < call.first || !is_in_model(call, saved.node)) return {};
      found.push_back(row);
    }
    return found;
  }

  /// Whether a node after the call changes in place a tensor that the call makes. PyTorch does not
  /// allow such a change of freed outputs.
  bool is_changed_after(const RegionCall& call) const {
    for (std::size_t node = call.first.index(); node < call.end; ++node) {
      for (const StorageId id : made_from_[node]) {
        if (!changes_[id].empty() && changes_[id].back().index() >= call.end) return true;
      }
    }
    return false;
  }

  /// Whether one call of the whole model contains both the call and the node.
  bool is_in_model(const ModuleCall& call, NodeId node) const {
    return std::ranges::any_of(step_.calls, [&](const ModuleCall& each) {
      return each.module.empty() && each.has(call.first) && each.has(node);
    });
  }

  /// Lets the region also free the call's outputs that nodes after the call save. Tensors that only
  /// the call itself saves are already in `region.saved`.
  void free_outputs(const ModuleCall& call, RegionCall& region) const {
    for (std::size_t node = region.first.index(); node < region.end; ++node) {
      for (const StorageId id : made_from_[node]) {
        for (const std::size_t row : saved_after(call, id)) {
          region.saved.push_back(row);
          region.readers.push_back(step_.saved[row].node);
          region.made_again.push_back(id);
        }
      }
    }
    std::ranges::sort(region.saved);
    std::ranges::sort(region.made_again);
    region.made_again.erase(std::unique(region.made_again.begin(), region.made_again.end()),
                            region.made_again.end());
  }

  /// The node that allocates the storage; invalid for an input of the step.
  NodeId maker_of(StorageId id) const {
    const ValueId root = step_.storages[id].root;
    return root.valid() ? graph_.value(root).producer : NodeId();
  }

  bool can_free_outputs(const Region& region) const {
    return std::ranges::any_of(region.calls,
                               [](const RegionCall& call) { return !call.readers.empty(); }) &&
           std::ranges::none_of(region.calls,
                                [&](const RegionCall& call) { return is_changed_after(call); });
  }

  RegionCall region_call(const ModuleCall& call, bool frees_outputs) const {
    const std::size_t end = call.first.index() + call.nodes;
    RegionCall region{call.first, end, {}, {}, NodeId(end - 1), call.arguments, saved_in(call)};
    for (const StorageId id : call.arguments) region.argument_makers.push_back(maker_of(id));
    if (region.saved.empty()) return region;
    const SavedTensor last = step_.saved[region.saved.back()];
    if (frees_outputs) free_outputs(call, region);
    region.released = NodeId(0);
    for (const std::size_t row : region.saved) {
      const SavedTensor& saved = step_.saved[row];
      if (saved.unpacked.valid()) region.trigger = std::min(region.trigger, saved.unpacked);
      region.released = std::max(region.released, saved.released);
    }
    // An input of a node is saved before the node runs, a result after the node has run.
    const std::size_t stop = frees_outputs ? end : last.node.index() + (last.is_result ? 1 : 0);
    if (region.trigger.valid()) region.again = nodes_again(call, stop);
    return region;
  }

  /// The nodes of the call before `stop`, and the cached casts that these nodes read, in the order
  /// of a second run.
  std::vector<NodeId> nodes_again(const ModuleCall& call, std::size_t stop) const {
    std::vector<NodeId> again;
    for (std::size_t i = call.first.index(); i < stop; ++i) {
      for (const ValueId input : graph_.node(NodeId(i)).inputs) {
        const NodeId maker = graph_.value(input).producer;
        if (is_cached_cast(call, maker) && std::ranges::find(again, maker) == again.end()) {
          again.push_back(maker);
        }
      }
      again.push_back(NodeId(i));
    }
    return again;
  }

  /// Whether the node lies outside of the call, casts a parameter, and makes no argument of the
  /// call. Autocast caches such a cast for the forward pass only. In the backward pass the cache is
  /// empty, so the second run casts again.
  bool is_cached_cast(const ModuleCall& call, NodeId node) const {
    if (!node.valid() || call.has(node) || graph_.node(node).op_type != "_to_copy") return false;
    const Node& cast = graph_.node(node);
    const bool is_argument = std::ranges::any_of(cast.outputs, [&](ValueId output) {
      return std::ranges::count(call.arguments, step_.storage_of[output]) > 0;
    });
    return !is_argument && !cast.inputs.empty() &&
           step_.role_of(cast.inputs[0]) == CapturedRole::parameter;
  }

  /// Adds to `region.freed` the storages that the call makes and that only the backward pass keeps
  /// alive until the second run.
  void add_freed(Region& region) const {
    const RegionCall& added = region.calls.back();
    if (!added.trigger.valid()) return;
    for (std::size_t node = added.first.index(); node < added.end; ++node) {
      for (const StorageId id : made_from_[node]) {
        const CapturedStorage& storage = step_.storages[id];
        const bool is_alive = storage.last.valid() && storage.last >= added.trigger;
        if (is_alive && lives_without(added, id) < added.trigger) {
          region.freed.push_back(storage.root);
        }
      }
    }
  }

  /// The last node during which the storage lives if the tensors of `call.saved` are not saved.
  NodeId lives_without(const RegionCall& call, StorageId id) const {
    NodeId last = step_.storages[id].python_last;
    for (const std::size_t row : rows_of_[id]) {
      if (!std::ranges::binary_search(call.saved, row)) {
        last = std::max(last, step_.saved[row].released);
      }
    }
    return last;
  }

  bool is_usable(const Region& region) const {
    return !region.module.empty() && !region.freed.empty() && !has_checkpoint(region.module) &&
           std::ranges::all_of(region.calls,
                               [&](const RegionCall& call) { return can_run_again(call); });
  }

  bool can_run_again(const RegionCall& call) const {
    // The backward pass begins after the call in every capture, but not in every damaged file.
    const bool is_after = !call.trigger.valid() || call.trigger.index() >= call.end;
    return is_after && makes_something(call) && !changes_others(call) && !gathers(call) &&
           resized_.has_inputs(call.again, call.first, call.trigger);
  }

  /// Whether a module inside the call gathers its sharded parameters. The second run gathers only
  /// parameters that are freed at that time, and the backward pass then gathers at other nodes than
  /// in the capture.
  bool gathers(const RegionCall& call) const {
    for (std::size_t i = call.first.index(); i < call.end; ++i) {
      if (graph_.node(NodeId(i)).domain == "pytorch.fsdp") return true;
    }
    return false;
  }

  bool makes_something(const RegionCall& call) const {
    for (std::size_t i = call.first.index(); i < call.end; ++i) {
      if (!graph_.node(NodeId(i)).outputs.empty()) return true;
    }
    return false;
  }

  /// Whether the captured step already runs a part of the module again.
  bool has_checkpoint(const std::string& module) const {
    const auto inside = recomputed_.lower_bound(module + ".");
    return recomputed_.contains(module) ||
           (inside != recomputed_.end() && inside->starts_with(module + "."));
  }

  /// Whether a node of the call changes in place a tensor that the call does not make and that is
  /// not a buffer of a module.
  bool changes_others(const RegionCall& call) const {
    for (std::size_t i = call.first.index(); i < call.end; ++i) {
      const Node& node = graph_.node(NodeId(i));
      if (!is_in_place(node) || node.outputs.empty()) continue;
      const CapturedStorage& changed = step_.storages[step_.storage_of[node.outputs[0]]];
      if (changed.role == CapturedRole::buffer) continue;
      const NodeId maker = graph_.value(changed.root).producer;
      if (!maker.valid() || maker < call.first) return true;
    }
    return false;
  }

  const Graph& graph_;
  const CapturedStep& step_;
  ResizedStorages resized_;
  IdVector<StorageId, std::vector<std::size_t>> rows_of_;
  std::set<std::string> recomputed_;               ///< paths of modules that already run again
  std::vector<std::vector<StorageId>> made_from_;  ///< by node: the storages that it allocates
  /// By storage: the nodes that change it in place.
  IdVector<StorageId, std::vector<NodeId>> changes_;
};

}  // namespace

std::vector<Region> regions_of(const Graph& graph) {
  const RegionFinder finder(graph);
  std::vector<Region> regions = finder.find(false);
  std::ranges::move(finder.find(true), std::back_inserter(regions));
  return regions;
}

}  // namespace stashscope
