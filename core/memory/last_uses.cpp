#include "core/memory/last_uses.h"

#include <algorithm>

#include "core/memory/slots_of.h"

namespace stashscope {

namespace {

void add_holds(const IdVector<ValueId, NodeId>& held_until, const Topology& topology,
               const std::vector<NodeId>& order, IdVector<ValueId, std::uint32_t>& last) {
  const IdVector<NodeId, std::uint32_t> slot_of = slots_of(topology, order);
  for (const ValueId value : IdRange<ValueId>(held_until.size())) {
    if (!held_until[value].valid()) continue;
    last[value] = std::max(last[value], slot_of[held_until[value]]);
  }
}

}  // namespace

IdVector<ValueId, std::uint32_t> last_uses(const Dataflow& dataflow, const BufferRules& rules,
                                           const std::vector<NodeId>& order) {
  const Topology& topology = dataflow.topology;
  IdVector<ValueId, std::uint32_t> last(topology.values(), 0);
  for (std::uint32_t slot = 0; slot < order.size(); ++slot) {
    const NodeId node = order[slot];
    for (const ValueId input : topology.inputs[node]) {
      if (input.valid()) last[input] = slot;
    }
    for (const ValueId output : topology.outputs[node]) last[output] = slot;
  }
  const auto& held = dataflow.fixed ? dataflow.fixed->held_until : rules.held_until;
  if (!held.empty()) add_holds(held, topology, order, last);
  return last;
}

}  // namespace stashscope
