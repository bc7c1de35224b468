#include "core/memory/timeline.h"

#include <algorithm>

#include "core/graph/captured_step.h"
#include "core/memory/last_uses.h"
#include "core/memory/step_memory.h"
#include "core/memory/workspace.h"

namespace stashscope {

namespace {

class TimelineBuilder {
 public:
  TimelineBuilder(const Dataflow& dataflow, const StepMemory& memory, std::vector<NodeId> order)
      : dataflow_(dataflow),
        topology_(dataflow.topology),
        memory_(memory),
        rules_(memory.rules),
        bytes_(memory.bytes),
        states_(memory.update.states),
        is_kept_(memory.rules.is_output) {
    timeline_.order = std::move(order);
    timeline_.released_outputs = memory.update.released;
    for (const ValueId value : memory.update.released) is_kept_[value] = false;
    timeline_.buffer_of = IdVector<ValueId, BufferId>(topology_.values());
  }

  Timeline build() {
    find_last_reads();
    timeline_.buffers.reserve(topology_.values() + states_.size());
    add_given();
    add_states();
    for (std::size_t slot = 0; slot < timeline_.order.size(); ++slot) place_outputs(slot);
    sum_up();
    return std::move(timeline_);
  }

 private:
  std::uint32_t end() const {
    return timeline_.order.empty() ? 0 : static_cast<std::uint32_t>(timeline_.order.size() - 1);
  }

  /// Whether the value outlives the step.
  bool is_kept(ValueId value) const {
    return value.index() < dataflow_.graph_values && is_kept_[value];
  }

  /// Sets last_read_[v]: the last slot that uses v, or the last slot of the step if v outlives the
  /// step.
  void find_last_reads() {
    const CopySchedule none;
    const CopySchedule& copies = memory_.copies == nullptr ? none : *memory_.copies;
    last_read_ = last_uses(dataflow_, rules_, timeline_.order, copies);
    for (const ValueId value : IdRange<ValueId>(dataflow_.graph_values)) {
      if (is_kept_[value]) last_read_[value] = end();
    }
  }

  void add_given() {
    for (const ValueId value : IdRange<ValueId>(dataflow_.graph_values)) {
      if (!rules_.is_given[value]) continue;
      const bool is_persistent = rules_.is_persistent(value);
      const std::uint32_t last = is_persistent ? end() : last_read_[value];
      timeline_.buffer_of[value] = timeline_.buffers.push_back(
          {value, bytes_[value], 0, last, is_persistent, is_kept(value), {}});
    }
  }

  void add_states() {
    for (const ParameterState& each : states_) {
      timeline_.buffers.push_back(
          {each.parameter, each.bytes(bytes_[each.parameter]), 0, end(), true, false, each.state});
    }
  }

  void place_outputs(std::size_t slot) {
    const NodeId node = timeline_.order[slot];
    share_buffers(node, slot);
    for (const ValueId output : topology_.outputs[node]) {
      if (timeline_.buffer_of[output].valid()) continue;
      const std::int64_t bytes = stored_bytes(dataflow_, bytes_, output);
      const auto now = static_cast<std::uint32_t>(slot);
      timeline_.buffer_of[output] = timeline_.buffers.push_back(
          {output, bytes, now, last_read_[output], false, is_kept(output), {}});
    }
  }

  void share_buffers(NodeId node, std::size_t slot) {
    const auto outputs = topology_.outputs[node];
    for (const BufferShare& share : memory_.aliases(dataflow_, node)) {
      join(outputs[share.output], timeline_.buffer_of[topology_.inputs[node][share.input]]);
    }
    for (const BufferShare& share : memory_.in_place(dataflow_, node)) {
      const BufferId taken = timeline_.buffer_of[topology_.inputs[node][share.input]];
      if (timeline_.buffer_of[outputs[share.output]].valid()) continue;
      if (can_take_over(node, share, slot)) join(outputs[share.output], taken);
    }
  }

  void join(ValueId value, BufferId buffer) {
    timeline_.buffer_of[value] = buffer;
    Buffer& shared = timeline_.buffers[buffer];
    shared.last_slot = std::max(shared.last_slot, last_read_[value]);
    shared.returned = shared.returned || is_kept(value);
  }

  /// The input's buffer must die at this node, and the node must read the buffer through this
  /// operand only, because another operand could read elements that are already overwritten.
  bool can_take_over(NodeId node, const BufferShare& share, std::size_t slot) const {
    const ValueId input = topology_.inputs[node][share.input];
    const BufferId buffer = timeline_.buffer_of[input];
    const Buffer& taken = timeline_.buffers[buffer];
    // A value that the step returns must not be overwritten, not even by the last node.
    if (taken.persistent || taken.returned) return false;
    if (taken.last_slot != slot || taken.first_slot == slot) return false;
    if (is_taken_by_leader(node, buffer)) return false;
    const auto inputs = topology_.inputs[node];
    return std::count_if(inputs.begin(), inputs.end(), [&](ValueId each) {
             return each.valid() && timeline_.buffer_of[each] == buffer;
           }) == 1;
  }

  /// Whether an output of the same fused group has taken over the buffer; only one output can.
  bool is_taken_by_leader(NodeId node, BufferId buffer) const {
    return memory_.fused != nullptr &&
           std::ranges::any_of(topology_.outputs[node], [&](ValueId output) {
             return timeline_.buffer_of[output] == buffer;
           });
  }

  /// Whether the buffer exists before the step.
  bool is_given(const Buffer& buffer) const {
    return buffer.root.index() < dataflow_.graph_values && rules_.is_given[buffer.root];
  }

  void sum_up() {
    const std::size_t steps = timeline_.order.size();
    std::vector<std::int64_t> made(steps, 0);
    std::vector<std::int64_t> freed(steps, 0);
    std::int64_t live = 0;
    for (const Buffer& buffer : timeline_.buffers) {
      if (buffer.persistent) {
        live += buffer.bytes;
        continue;
      }
      if (is_given(buffer)) {
        live += buffer.bytes;
      } else {
        made[buffer.first_slot] += buffer.bytes;
      }
      if (!buffer.returned) freed[buffer.last_slot] += buffer.bytes;
    }
    timeline_.peak_bytes = live;
    timeline_.idle_bytes = {live};
    timeline_.idle_bytes.reserve(steps + 1);
    timeline_.live_bytes.reserve(steps);
    for (std::size_t slot = 0; slot < steps; ++slot) {
      live += made[slot];
      timeline_.live_bytes.push_back(live);
      if (live > timeline_.peak_bytes) {
        timeline_.peak_bytes = live;
        timeline_.peak_slot = slot;
      }
      live -= freed[slot];
      timeline_.idle_bytes.push_back(live);
    }
  }

  const Dataflow& dataflow_;
  const Topology& topology_;
  const StepMemory& memory_;
  const BufferRules& rules_;
  const IdVector<ValueId, std::int64_t>& bytes_;
  const std::vector<ParameterState>& states_;
  IdVector<ValueId, bool> is_kept_;
  IdVector<ValueId, std::uint32_t> last_read_;
  Timeline timeline_;
};

}  // namespace

Timeline make_timeline(const Dataflow& dataflow, const BufferRules& rules,
                       const IdVector<ValueId, std::int64_t>& bytes, std::vector<NodeId> order,
                       const UpdateMemory& update) {
  const IdVector<NodeId, std::int64_t> no_workspace;
  const StepMemory memory{rules, bytes, update, no_workspace};
  return TimelineBuilder(dataflow, memory, std::move(order)).build();
}

Timeline make_timeline(const Dataflow& dataflow, const StepMemory& memory,
                       std::vector<NodeId> order) {
  Timeline timeline = TimelineBuilder(dataflow, memory, std::move(order)).build();
  add_workspace(timeline, dataflow, memory.workspace);
  return timeline;
}

std::int64_t persistent_bytes(const Timeline& timeline) {
  std::int64_t bytes = 0;
  for (const Buffer& each : timeline.buffers) bytes += each.persistent ? each.bytes : 0;
  return bytes;
}

std::int64_t held_bytes(const Timeline& timeline) {
  std::int64_t bytes = 0;
  for (const Buffer& each : timeline.buffers) {
    bytes += each.persistent || each.returned ? each.bytes : 0;
  }
  return bytes;
}

std::string name_of(const Graph& graph, const Dataflow& dataflow, const Buffer& buffer) {
  const std::string name = name_of(graph, dataflow, buffer.root);
  return buffer.state ? name + "." + std::string(buffer.state->name) : name;
}

TensorType type_of(const Graph& graph, const Dataflow& dataflow, const Buffer& buffer) {
  TensorType type = graph.value(dataflow.origin(buffer.root)).type;
  type.element = stored_element(graph, dataflow, buffer.root);
  if (!buffer.state) return type;
  type.element = buffer.state->element;
  if (const auto& shape = buffer.state->shape) type.shape = Shape(shape->begin(), shape->end());
  return type;
}

std::int64_t stored_bytes(const Dataflow& dataflow, const IdVector<ValueId, std::int64_t>& bytes,
                          ValueId value) {
  if (value.index() < dataflow.graph_values) return bytes[value];
  const StoredForm form = dataflow.form(value);
  if (form.fixed_bytes) return *form.fixed_bytes;
  const Rational share = form.share;
  const std::int64_t whole = bytes[dataflow.origin(value)];
  return share == Rational(1) ? whole : (share * Rational(whole)).floor();
}

std::vector<BufferId> alive_at(const Timeline& timeline, std::size_t slot) {
  std::vector<BufferId> alive;
  for (const BufferId id : IdRange<BufferId>(timeline.buffers.size())) {
    const Buffer& buffer = timeline.buffers[id];
    if (is_alive(buffer, slot)) alive.push_back(id);
  }
  std::stable_sort(alive.begin(), alive.end(), [&](BufferId a, BufferId b) {
    return timeline.buffers[a].bytes > timeline.buffers[b].bytes;
  });
  return alive;
}

namespace {

/// The bytes that PyTorch allocated for the value; 0 if another value of the storage came first.
Expr captured_bytes(const CapturedStep& captured, const Dataflow& dataflow, ValueId id) {
  if (const auto fixed = dataflow.form(id).fixed_bytes) return Expr(*fixed);
  const ValueId value = dataflow.origin(id);
  return captured.is_root(value) ? captured.storages[captured.storage_of[value]].bytes : Expr(0);
}

}  // namespace

Expr symbolic_bytes(const Graph& graph, const Dataflow& dataflow, const Timeline& timeline,
                    const std::vector<BufferId>& buffers) {
  std::vector<Term> terms;
  for (const BufferId id : buffers) {
    const Buffer& buffer = timeline.buffers[id];
    if (graph.data().captured && !buffer.state) {
      for (Term& term : captured_bytes(*graph.data().captured, dataflow, buffer.root).terms()) {
        terms.push_back(std::move(term));
      }
      continue;
    }
    const auto count = element_count(type_of(graph, dataflow, buffer));
    const bool on_host = dataflow.form(buffer.root).share.is_zero() ||
                         lives_on_host(graph, dataflow.origin(buffer.root));
    if (!count || on_host) continue;
    const int item_bits = bits_per_element(type_of(graph, dataflow, buffer).element);
    const Expr bits = *count * Expr(item_bits);
    const Expr bytes =
        item_bits % 8 == 0 ? bits * Expr(Rational::ratio(1, 8)) : ceil_divide(bits, 8);
    for (Term& term : bytes.terms()) terms.push_back(std::move(term));
  }
  return Expr::from_terms(std::move(terms));
}

Expr symbolic_bytes(const Graph& graph, const Dataflow& dataflow, const Timeline& timeline,
                    std::size_t slot) {
  return symbolic_bytes(graph, dataflow, timeline, alive_at(timeline, slot));
}

std::int64_t stashed_bytes(const Timeline& timeline, const std::vector<ValueId>& stashed) {
  IdVector<BufferId, bool> counted(timeline.buffers.size(), false);
  std::int64_t bytes = 0;
  for (const ValueId value : stashed) {
    const BufferId buffer = timeline.buffer_of[value];
    if (!buffer.valid() || counted[buffer] || timeline.buffers[buffer].persistent) continue;
    counted[buffer] = true;
    bytes += timeline.buffers[buffer].bytes;
  }
  return bytes;
}

}  // namespace stashscope
