#include "core/memory/step_peak.h"

#include <algorithm>
#include <limits>

namespace stashscope {

namespace {

/// Behind which what is kept would be freed.
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
    resident_ += place.bytes;
    place.buffer = value;
    place.freed = never;
  }
  for (const ValueId value : memory.update.released) before_[value].last_read = 0;
  for (const ParameterState& each : memory.update.states) {
    resident_ += each.bytes(memory.bytes[each.parameter]);
  }
}

std::int64_t StepPeak::of(std::span<const NodeId> order) {
  places_ = before_;
  find_last_reads(order);
  live_ = resident_;
  std::int64_t peak = live_;
  for (std::uint32_t step = 0; step < order.size(); ++step) {
    make_outputs(order[step], step);
    peak = std::max(peak, live_ + workspace(order[step]));
    free_behind(order[step], step);
  }
  return peak;
}

void StepPeak::find_last_reads(std::span<const NodeId> order) {
  const Topology& topology = dataflow_.topology;
  for (std::uint32_t step = 0; step < order.size(); ++step) {
    const auto read_at = [&](ValueId value) {
      std::uint32_t& last = places_[value].last_read;
      last = std::max(last, step);
    };
    for (const ValueId input : topology.inputs[order[step]]) {
      if (input.valid()) read_at(input);
    }
    for (const ValueId output : topology.outputs[order[step]]) read_at(output);
  }
}

void StepPeak::make_outputs(NodeId node, std::uint32_t step) {
  share_buffers(node, step);
  for (const ValueId output : dataflow_.topology.outputs[node]) {
    Place& place = places_[output];
    if (place.buffer.valid()) continue;
    place.buffer = output;
    place.freed = place.last_read;
    live_ += place.bytes;
  }
}

void StepPeak::share_buffers(NodeId node, std::uint32_t step) {
  const auto inputs = dataflow_.topology.inputs[node];
  const auto outputs = dataflow_.topology.outputs[node];
  for (const BufferShare& share : memory_.aliases(dataflow_, node)) {
    join(outputs[share.output], places_[inputs[share.input]].buffer);
  }
  for (const BufferShare& share : memory_.in_place(dataflow_, node)) {
    const ValueId input = inputs[share.input];
    if (places_[outputs[share.output]].buffer.valid()) continue;
    if (can_take_over(node, input, step)) join(outputs[share.output], places_[input].buffer);
  }
}

void StepPeak::join(ValueId value, ValueId buffer) {
  places_[value].buffer = buffer;
  places_[buffer].freed = std::max(places_[buffer].freed, places_[value].last_read);
}

/// As the timeline decides it; a buffer that lives on behind the node has a later value in it.
bool StepPeak::can_take_over(NodeId node, ValueId input, std::uint32_t step) const {
  const ValueId buffer = places_[input].buffer;
  if (places_[buffer].freed != step) return false;
  const auto is_there = [&](ValueId value) {
    return value.valid() && places_[value].buffer == buffer;
  };
  if (memory_.fused != nullptr && std::ranges::any_of(dataflow_.topology.outputs[node], is_there)) {
    return false;
  }
  return std::ranges::count_if(dataflow_.topology.inputs[node], is_there) == 1;
}

/// Whatever dies here is read or made here.
void StepPeak::free_behind(NodeId node, std::uint32_t step) {
  const auto free = [&](ValueId value) {
    Place& place = places_[places_[value].buffer];
    if (place.freed != step) return;
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
