#include "core/memory/copy_schedule.h"

#include <algorithm>

#include "core/memory/slots_of.h"

namespace stashscope {

bool is_copy(const Dataflow& dataflow, NodeId node) {
  if (!dataflow.is_clone(node)) return false;
  const AddedKind kind = dataflow.kind(node);
  return kind == AddedKind::offload || kind == AddedKind::fetch;
}

std::int64_t host_peak_bytes(const Dataflow& dataflow, const IdVector<ValueId, std::int64_t>& bytes,
                             const std::vector<NodeId>& order, const CopySchedule& copies) {
  const auto is_evicting = [](AddedKind kind) { return kind == AddedKind::offload; };
  if (std::ranges::none_of(dataflow.kinds, is_evicting)) return 0;
  const IdVector<NodeId, std::uint32_t> slots = slots_of(dataflow.topology, order);
  std::vector<std::int64_t> change(order.size() + 1, 0);
  std::vector<std::uint32_t> last(dataflow.kinds.size(), 0);
  for (std::size_t i = 0; i < last.size(); ++i) last[i] = slots[NodeId(dataflow.graph_nodes + i)];
  for (const auto& [node, until] : copies.copies) {
    if (dataflow.kind(node) == AddedKind::fetch) {
      last[node.index() - dataflow.graph_nodes] = slots[until];
    }
  }
  for (std::size_t i = 0; i < last.size(); ++i) {
    const NodeId fetch(dataflow.graph_nodes + i);
    if (dataflow.kind(fetch) != AddedKind::fetch) continue;
    const ValueId on_host = dataflow.topology.inputs[fetch][0];
    const std::int64_t size = bytes[dataflow.origin(on_host)];
    change[slots[dataflow.topology.producer[on_host]]] += size;
    change[last[i] + 1] -= size;
  }
  std::int64_t now = 0;
  std::int64_t most = 0;
  for (const std::int64_t each : change) {
    now += each;
    most = std::max(most, now);
  }
  return most;
}

}  // namespace stashscope
