#include <queue>
#include <tuple>

#include "core/graph/ready_tracker.h"
#include "core/schedule/orders/shared_buffers.h"
#include "core/schedule/orders/strategies.h"

namespace stashscope {

namespace {

class ListOrder {
 public:
  explicit ListOrder(const OrderInput& input)
      : dataflow_(input.dataflow),
        buffers_(input.dataflow, input.memory),
        tracker_(input.dataflow.topology),
        is_ready_(input.dataflow.topology.nodes(), false),
        is_placed_(input.dataflow.topology.nodes(), false),
        readers_left_(input.dataflow.topology.values(), 0) {
    for (const ValueId value : IdRange<ValueId>(readers_left_.size())) {
      readers_left_[value] = buffers_.readers[value].size();
    }
  }

  std::vector<NodeId> order() {
    const auto make_ready = [&](NodeId node) {
      is_ready_[node] = true;
      ready_.push(entry(node));
    };
    tracker_.for_each_source(make_ready);
    std::vector<NodeId> order;
    order.reserve(is_placed_.size());
    while (!ready_.empty()) {
      const NodeId node = std::get<NodeId>(ready_.top());
      ready_.pop();
      // A node is queued again each time the bytes that it will free increase.
      if (is_placed_[node]) continue;
      is_placed_[node] = true;
      order.push_back(node);
      tracker_.finish(node, make_ready);
      read_inputs(node);
    }
    return order;
  }

 private:
  /// The smallest entry runs first.
  using Entry = std::tuple<bool, std::int64_t, std::int64_t, NodeId>;
  struct Lower {
    bool operator()(const Entry& a, const Entry& b) const { return a > b; }
  };

  /// The sort key of a node. Clones come after all other nodes. Of two clones, or of two other
  /// nodes, the node with the smaller net allocation comes first; on ties, the node that allocates
  /// fewer bytes.
  Entry entry(NodeId node) const {
    std::int64_t allocated = 0;
    std::int64_t freed = 0;
    for (const ValueId made : buffers_.made[node]) {
      allocated += buffers_.bytes[made];
      if (readers_left_[made] == 0 && !buffers_.is_kept[made]) freed += buffers_.bytes[made];
    }
    for (const ValueId read : buffers_.read[node]) {
      if (readers_left_[read] == 1 && !buffers_.is_kept[read]) freed += buffers_.bytes[read];
    }
    return {dataflow_.is_clone(node), allocated - freed, allocated, node};
  }

  void read_inputs(NodeId node) {
    for (const ValueId read : buffers_.read[node]) {
      if (--readers_left_[read] != 1) continue;
      for (const NodeId last : buffers_.readers[read]) {
        if (is_ready_[last] && !is_placed_[last]) ready_.push(entry(last));
      }
    }
  }

  const Dataflow& dataflow_;
  SharedBuffers buffers_;
  ReadyTracker tracker_;
  IdVector<NodeId, bool> is_ready_;
  IdVector<NodeId, bool> is_placed_;
  IdVector<ValueId, std::size_t> readers_left_;
  std::priority_queue<Entry, std::vector<Entry>, Lower> ready_;
};

}  // namespace

std::vector<NodeId> bytes_freed_order(const OrderInput& input) { return ListOrder(input).order(); }

}  // namespace stashscope
