#include "core/memory/last_uses.h"

#include <algorithm>

#include "core/memory/slots_of.h"

namespace stashscope {

namespace {

class Holds {
 public:
  Holds(const Topology& topology, const std::vector<NodeId>& order,
        IdVector<ValueId, std::uint32_t>& last)
      : slots_(slots_of(topology, order)), last_(last) {}

  void add(ValueId value, NodeId until) { last_[value] = std::max(last_[value], slots_[until]); }

 private:
  IdVector<NodeId, std::uint32_t> slots_;
  IdVector<ValueId, std::uint32_t>& last_;
};

}  // namespace

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
  Holds holds(topology, order, last);
  for (const ValueId value : IdRange<ValueId>(held.size())) {
    if (held[value].valid()) holds.add(value, held[value]);
  }
  for (const auto& [node, until] : copies.copies) {
    if (dataflow.kind(node) == AddedKind::offload) holds.add(topology.inputs[node][0], until);
  }
  return last;
}

}  // namespace stashscope
