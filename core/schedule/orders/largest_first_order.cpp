#include <algorithm>
#include <queue>

#include "core/schedule/orders/shared_buffers.h"
#include "core/schedule/orders/strategies.h"

namespace stashscope {

namespace {

/// Places nodes from the last position to the first.
class BottomUpOrder {
 public:
  explicit BottomUpOrder(const OrderInput& input)
      : topology_(input.dataflow.topology),
        buffers_(input.dataflow, input.memory),
        unplaced_readers_(topology_.nodes(), 0),
        is_placed_(topology_.nodes(), false),
        is_needed_(buffers_.is_kept) {
    for (const NodeId node : IdRange<NodeId>(topology_.nodes())) {
      for (const ValueId output : topology_.outputs[node]) {
        unplaced_readers_[node] += topology_.readers[output].size();
      }
    }
  }

  std::vector<NodeId> order() {
    for (const NodeId node : IdRange<NodeId>(topology_.nodes())) {
      if (unplaced_readers_[node] == 0) ready_.push({allocated(node), node});
    }
    std::vector<NodeId> reversed;
    reversed.reserve(topology_.nodes());
    while (!ready_.empty()) {
      const NodeId node = ready_.top().second;
      ready_.pop();
      // A node is queued again each time its allocation grows.
      if (is_placed_[node]) continue;
      is_placed_[node] = true;
      reversed.push_back(node);
      need_inputs(node);
      release_producers(node);
    }
    std::reverse(reversed.begin(), reversed.end());
    return reversed;
  }

 private:
  std::int64_t allocated(NodeId node) const {
    std::int64_t bytes = 0;
    for (const ValueId made : buffers_.made[node]) bytes += buffers_.bytes[made];
    for (const ValueId read : buffers_.read[node]) {
      if (!is_needed_[read]) bytes -= buffers_.bytes[read];
    }
    return bytes;
  }

  /// Marks the node's inputs as needed. The nodes that are placed from now on run earlier, so none
  /// of them frees these inputs.
  void need_inputs(NodeId node) {
    for (const ValueId read : buffers_.read[node]) {
      if (is_needed_[read]) continue;
      is_needed_[read] = true;
      for (const NodeId other : buffers_.readers[read]) {
        if (!is_placed_[other] && unplaced_readers_[other] == 0) {
          ready_.push({allocated(other), other});
        }
      }
    }
  }

  void release_producers(NodeId node) {
    const auto inputs = topology_.inputs[node];
    for (auto at = inputs.begin(); at != inputs.end(); ++at) {
      if (!at->valid() || std::find(inputs.begin(), at, *at) != at) continue;
      const NodeId producer = topology_.producer[*at];
      if (producer.valid() && --unplaced_readers_[producer] == 0) {
        ready_.push({allocated(producer), producer});
      }
    }
  }

  const Topology& topology_;
  SharedBuffers buffers_;
  IdVector<NodeId, std::size_t> unplaced_readers_;
  IdVector<NodeId, bool> is_placed_;
  /// By value: whether it must outlive every node that is not placed yet.
  IdVector<ValueId, bool> is_needed_;
  std::priority_queue<std::pair<std::int64_t, NodeId>> ready_;
};

}  // namespace

std::vector<NodeId> largest_first_order(const OrderInput& input) {
  return BottomUpOrder(input).order();
}

}  // namespace stashscope
