#include "core/study/facts/module_memory.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "core/base/text.h"
#include "core/graph/node_path.h"
#include "core/study/facts/memory_tree.h"
#include "core/study/facts/opened_operator.h"
#include "core/study/step/plan_effects.h"

namespace stashscope {

namespace {

/// A module under construction.
struct ModuleDraft {
  ModuleMemory memory;
  std::vector<BufferId> at_peak;
};

/// The buffers of a module, added up.
class ModuleBuffers {
 public:
  ModuleBuffers(const Timeline& timeline, const TensorHomes& homes)
      : timeline_(timeline), homes_(homes) {}

  void add(BufferId id, ModuleMemory& memory, std::vector<BufferId>& at_peak) const {
    const Buffer& buffer = timeline_.buffers[id];
    const std::size_t peak = timeline_.peak_slot;
    if (homes_.band[id] == Band::stashed) memory.stashed_bytes += buffer.bytes;
    if (buffer.first_slot > peak || buffer.last_slot < peak) return;
    memory.peak_bytes += buffer.bytes;
    if (band_at(homes_.spans[id], peak) == Band::stashed) memory.stashed_at_peak += buffer.bytes;
    at_peak.push_back(id);
  }

 private:
  const Timeline& timeline_;
  const TensorHomes& homes_;
};

class ModuleTable {
 public:
  ModuleTable(const Study& study, const TensorHomes& homes, ModuleLevel level)
      : study_(study), variant_(*study.current), homes_(homes), buffers_(variant_.timeline, homes) {
    for (const std::vector<std::string>& scope : homes_.modules.scope) {
      std::string block = block_of(scope);
      block_.push_back(level == ModuleLevel::layers ? layer_around(block) : std::move(block));
    }
  }

  std::vector<ModuleMemory> rows() {
    for (const NodeId id : IdRange<NodeId>(variant_.dataflow.topology.nodes())) add_node(id);
    for (const BufferId id : IdRange<BufferId>(variant_.timeline.buffers.size())) add_buffer(id);
    mark_rests();
    std::vector<ModuleMemory> rows;
    for (ModuleDraft& draft : drafts_) {
      draft.memory.symbolic = to_string(
          symbolic_bytes(study_.graph(), variant_.dataflow, variant_.timeline, draft.at_peak),
          study_.graph().symbols());
      rows.push_back(std::move(draft.memory));
    }
    std::ranges::stable_sort(rows, std::greater(), &ModuleMemory::peak_bytes);
    return rows;
  }

 private:
  /// Marks each row whose module contains the module of another row.
  void mark_rests() {
    for (const ModuleDraft& draft : drafts_) {
      const std::string& name = draft.memory.module;
      for (std::size_t dot = name.find('.'); dot != std::string::npos;
           dot = name.find('.', dot + 1)) {
        const auto around = draft_by_name_.find(std::string_view(name).substr(0, dot));
        if (around != draft_by_name_.end()) drafts_[around->second].memory.is_rest = true;
      }
    }
  }

  void add_buffer(BufferId id) {
    const NodeId home = homes_.node[id];
    if (!home.valid() || block_[home].empty()) return;
    ModuleDraft& draft = draft_of(home);
    buffers_.add(id, draft.memory, draft.at_peak);
  }

  void add_node(NodeId id) {
    const NodeId origin = variant_.dataflow.origin(id);
    if (block_[origin].empty() || !variant_.dataflow.runs_origin(id)) return;
    draft_of(origin).memory.seconds += study_.times->seconds[origin];
  }

  ModuleDraft& draft_of(NodeId node) {
    const auto [found, is_new] = draft_by_name_.try_emplace(block_[node], drafts_.size());
    if (is_new) {
      drafts_.emplace_back();
      drafts_.back().memory.module = block_[node];
    }
    return drafts_[found->second];
  }

  const Study& study_;
  const Variant& variant_;
  const TensorHomes& homes_;
  ModuleBuffers buffers_;
  IdVector<NodeId, std::string> block_;
  std::vector<ModuleDraft> drafts_;  ///< in the order of the graph
  std::unordered_map<std::string_view, std::size_t> draft_by_name_;
};

std::vector<std::string> operators_outside(const Study& study, const TensorHomes& homes) {
  std::vector<std::string> operators;
  for (const NodeId node : study.current->timeline.order) {
    const NodeId origin = study.current->dataflow.origin(node);
    if (!block_of(homes.modules.scope[origin]).empty()) continue;
    const std::string& name = opened_operator(study, origin);
    if (std::ranges::find(operators, name) == operators.end()) operators.push_back(name);
  }
  return operators;
}

}  // namespace

std::vector<ModuleMemory> module_memory(const Study& study, const TensorHomes& homes,
                                        ModuleLevel level) {
  return ModuleTable(study, homes, level).rows();
}

std::vector<ModuleMemory> module_memory(const Study& study) {
  return module_memory(study, tensor_homes(study, *study.current));
}

ModuleMemory memory_outside(const Study& study, const TensorHomes& homes,
                            const std::vector<ModuleMemory>& modules) {
  const Variant& variant = *study.current;
  const Timeline& timeline = variant.timeline;
  ModuleMemory outside;
  outside.module = outside_of_modules;
  outside.operators = operators_outside(study, homes);
  outside.seconds = step_seconds(timing_basis(study), variant);
  for (const ModuleMemory& each : modules) outside.seconds -= each.seconds;
  outside.seconds = std::max(0.0, outside.seconds);
  std::vector<BufferId> at_peak;
  const ModuleBuffers buffers(timeline, homes);
  for (const BufferId id : IdRange<BufferId>(timeline.buffers.size())) {
    const NodeId home = homes.node[id];
    if (home.valid() && !block_of(homes.modules.scope[home]).empty()) continue;
    buffers.add(id, outside, at_peak);
  }
  outside.peak_bytes = timeline.peak_bytes;  // with the workspace
  for (const ModuleMemory& each : modules) outside.peak_bytes -= each.peak_bytes;
  outside.symbolic = to_string(symbolic_bytes(study.graph(), variant.dataflow, timeline, at_peak),
                               study.graph().symbols());
  return outside;
}

}  // namespace stashscope
