#include <deque>

#include "core/graph/ready_tracker.h"
#include "core/schedule/orders/strategies.h"

namespace stashscope {

std::vector<NodeId> breadth_first_order(const OrderInput& input) {
  const Dataflow& dataflow = input.dataflow;
  ReadyTracker tracker(dataflow.topology);
  std::deque<NodeId> ready;
  std::deque<NodeId> ready_clones;
  const auto enqueue = [&](NodeId node) {
    (dataflow.is_clone(node) ? ready_clones : ready).push_back(node);
  };
  tracker.for_each_source(enqueue);
  std::vector<NodeId> order;
  order.reserve(dataflow.topology.nodes());
  while (!ready.empty() || !ready_clones.empty()) {
    std::deque<NodeId>& queue = ready.empty() ? ready_clones : ready;
    const NodeId node = queue.front();
    queue.pop_front();
    order.push_back(node);
    tracker.finish(node, enqueue);
  }
  return order;
}

}  // namespace stashscope
