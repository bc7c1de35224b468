#include "core/memory/last_uses.h"

#include <algorithm>

#include "core/memory/slots_of.h"

namespace stashscope {

IdVector<ValueId, std::uint32_t> last_uses(const Dataflow& dataflow, const BufferRules& rules,
                                           const std::vector<NodeId>& order,
                                           const CopySchedule& copies) {
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
  if (held.empty() && copies.empty()) return last;
  const IdVector<NodeId, std::uint32_t> slots = slots_of(topology, order);
  const auto hold = [&](ValueId value, NodeId until) {
    last[value] = std::max(last[value], slots[until]);
  };
  for (const ValueId value : IdRange<ValueId>(held.size())) {
    if (held[value].valid()) hold(value, held[value]);
  }
  for (const auto& [node, until] : copies.copies) {
    if (dataflow.kind(node) == AddedKind::offload) hold(topology.inputs[node][0], until);
  }
  return last;
}

}  // namespace stashscope
