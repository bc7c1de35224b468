#include "core/memory/step_peak.h"

#include <algorithm>
#include <limits>

namespace stashscope {

namespace {

/// The value of `freed` for buffers that are never freed or have already been freed.
constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();

}  // namespace

StepPeak::StepPeak(const Dataflow& dataflow, const StepMemory& memory)
    : dataflow_(dataflow), memory_(memory), before_(dataflow.topology.values()) {
  const BufferRules& rules = memory.rules;
  for (const ValueId value : IdRange<ValueId>(before_.size())) {
    Place& place = before_[value];
    place.bytes = stored_bytes(dataflow, memory.bytes, value);
    if (value.index() >= dataflow.graph_values) continue;
    if (rules.is_output[value]) place.last_read = never;
    if (!rules.is_persistent(value)) continue;
    persistent_ += place.bytes;
    place.buffer = value;
    place.freed = never;
  }
  for (const ValueId value : memory.update.released) before_[value].last_read = 0;
  for (const ParameterState& each : memory.update.states) {
    persistent_ += each.bytes(memory.bytes[each.parameter]);
  }
}

std::int64_t StepPeak::of(std::span<const NodeId> order) {
  places_ = before_;
  find_last_reads(order);
  live_ = persistent_;
  std::int64_t peak = live_;
  for (std::uint32_t slot = 0; slot < order.size(); ++slot) {
    make_outputs(order[slot], slot);
    peak = std::max(peak, live_ + workspace(order[slot]));
    free_behind(order[slot], slot);
  }
  return peak;
}

void StepPeak::find_last_reads(std::span<const NodeId> order) {
  const Topology& topology = dataflow_.topology;
  for (std::uint32_t slot = 0; slot < order.size(); ++slot) {
    const auto read_at = [&](ValueId value) {
      std::uint32_t& last = places_[value].last_read;
      last = std::max(last, slot);
    };
    for (const ValueId input : topology.inputs[order[slot]]) {
      if (input.valid()) read_at(input);
    }
    for (const ValueId output : topology.outputs[order[slot]]) read_at(output);
  }
}

void StepPeak::make_outputs(NodeId node, std::uint32_t slot) {
  share_buffers(node, slot);
  for (const ValueId output : dataflow_.topology.outputs[node]) {
    Place& place = places_[output];
    if (place.buffer.valid()) continue;
    place.buffer = output;
    place.freed = place.last_read;
    live_ += place.bytes;
  }
}

void StepPeak::share_buffers(NodeId node, std::uint32_t slot) {
  const auto inputs = dataflow_.topology.inputs[node];
  const auto outputs = dataflow_.topology.outputs[node];
  for (const BufferShare& share : memory_.aliases(dataflow_, node)) {
    join(outputs[share.output], places_[inputs[share.input]].buffer);
  }
  for (const BufferShare& share : memory_.in_place(dataflow_, node)) {
    const ValueId input = inputs[share.input];
    if (places_[outputs[share.output]].buffer.valid()) continue;
    if (can_take_over(node, input, slot)) join(outputs[share.output], places_[input].buffer);
  }
}

void StepPeak::join(ValueId value, ValueId buffer) {
  places_[value].buffer = buffer;
  places_[buffer].freed = std::max(places_[buffer].freed, places_[value].last_read);
}

/// Applies the in-place rule of make_timeline. A buffer that is freed after a later slot cannot be
/// taken over, because a later node needs one of its values.
bool StepPeak::can_take_over(NodeId node, ValueId input, std::uint32_t slot) const {
  const ValueId buffer = places_[input].buffer;
  if (places_[buffer].freed != slot) return false;
  const auto is_there = [&](ValueId value) {
    return value.valid() && places_[value].buffer == buffer;
  };
  if (memory_.fused != nullptr && std::ranges::any_of(dataflow_.topology.outputs[node], is_there)) {
    return false;
  }
  return std::ranges::count_if(dataflow_.topology.inputs[node], is_there) == 1;
}

/// Frees the buffers that die at the node. The node reads or makes a value of each such buffer.
void StepPeak::free_behind(NodeId node, std::uint32_t slot) {
  const auto free = [&](ValueId value) {
    Place& place = places_[places_[value].buffer];
    if (place.freed != slot) return;
    live_ -= place.bytes;
    place.freed = never;
  };
  for (const ValueId input : dataflow_.topology.inputs[node]) {
    if (input.valid()) free(input);
  }
  for (const ValueId output : dataflow_.topology.outputs[node]) free(output);
}

std::int64_t StepPeak::workspace(NodeId node) const {
  return dataflow_.runs_origin(node) ? memory_.workspace[dataflow_.origin(node)] : 0;
}

std::int64_t peak_of(const Dataflow& dataflow, const StepMemory& memory,
                     std::span<const NodeId> order) {
  return StepPeak(dataflow, memory).of(order);
}

}  // namespace stashscope
