#include "core/schedule/orders.h"

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <queue>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/graph/traversal.h"
#include "core/ops/views.h"

namespace stashscope {

namespace {

/// Keeps count of the inputs that are still to be made and tells which nodes become ready.
class ReadyTracker {
 public:
  explicit ReadyTracker(const Topology& topology)
      : topology_(topology), pending_(topology.nodes(), 0) {
    for (const ValueId value : IdRange<ValueId>(topology.values())) {
      if (!topology.producer[value].valid()) continue;
      for (const NodeId reader : topology.readers[value]) ++pending_[reader];
    }
  }

  template <class Visit>
  void for_each_source(Visit visit) const {
    for (const NodeId node : IdRange<NodeId>(topology_.nodes())) {
      if (pending_[node] == 0) visit(node);
    }
  }

  template <class Visit>
  void finish(NodeId node, Visit became_ready) {
    for (const ValueId output : topology_.outputs[node]) {
      for (const NodeId reader : topology_.readers[output]) {
        if (--pending_[reader] == 0) became_ready(reader);
      }
    }
  }

 private:
  const Topology& topology_;
  IdVector<NodeId, std::uint32_t> pending_;
};

/// Emits nodes after everything they need that was not emitted yet; depth first, without recursion.
class DemandOrder {
 public:
  explicit DemandOrder(const Topology& topology) : topology_(topology), state_(topology.nodes()) {
    order_.reserve(topology.nodes());
  }

  void demand(NodeId root) {
    if (root.valid() && state_[root] == State::untouched) stack_.push_back({root, 0});
    while (!stack_.empty()) {
      auto& [node, next] = stack_.back();
      state_[node] = State::open;
      const auto inputs = topology_.inputs[node];
      NodeId producer;
      while (next < inputs.size() && !producer.valid()) {
        const ValueId input = inputs[next++];
        if (input.valid()) producer = topology_.producer[input];
        if (producer.valid() && state_[producer] != State::untouched) producer = NodeId();
      }
      if (producer.valid()) {
        stack_.push_back({producer, 0});
      } else {
        state_[node] = State::done;
        order_.push_back(node);
        stack_.pop_back();
      }
    }
  }

  std::vector<NodeId> take() { return std::move(order_); }

 private:
  enum class State : std::uint8_t { untouched, open, done };
  struct Frame {
    NodeId node;
    std::size_t next;
  };

  const Topology& topology_;
  IdVector<NodeId, State> state_;
  std::vector<Frame> stack_;
  std::vector<NodeId> order_;
};

/// The graph's own order; a clone runs when the first node that needs it is reached.
std::vector<NodeId> file_order(const OrderInput& input) {
  DemandOrder demand(input.dataflow.topology);
  for (const NodeId node : IdRange<NodeId>(input.dataflow.topology.nodes())) demand.demand(node);
  return demand.take();
}

/// From each output in turn, everything it needs first.
std::vector<NodeId> depth_first_order(const OrderInput& input) {
  DemandOrder demand(input.dataflow.topology);
  for (const ValueId output : input.graph.data().outputs) {
    demand.demand(input.dataflow.topology.producer[output]);
  }
  for (const NodeId node : IdRange<NodeId>(input.dataflow.topology.nodes())) demand.demand(node);
  return demand.take();
}

/// Whatever became ready first runs first; clones wait until nothing else is ready.
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

/// A tensor is put away when nothing of the forward pass reads it, or a view of it, any more.
class PutAwayPlacer {
 public:
  PutAwayPlacer(const OrderInput& input, std::vector<NodeId> order)
      : graph_(input.graph), dataflow_(input.dataflow), order_(std::move(order)) {}

  std::vector<NodeId> place() {
    const bool any = std::any_of(order_.begin(), order_.end(),
                                 [&](NodeId node) { return puts_tensor_away(node); });
    if (!any) return std::move(order_);
    IdVector<NodeId, std::size_t> position(dataflow_.topology.nodes(), 0);
    for (std::size_t i = 0; i < order_.size(); ++i) position[order_[i]] = i;
    std::multimap<std::size_t, NodeId> behind;
    for (const NodeId node : order_) {
      if (puts_tensor_away(node)) behind.emplace(last_use(node, position), node);
    }
    std::vector<NodeId> placed;
    placed.reserve(order_.size());
    auto next = behind.begin();
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (!puts_tensor_away(order_[i])) placed.push_back(order_[i]);
      for (; next != behind.end() && next->first == i; ++next) placed.push_back(next->second);
    }
    return placed;
  }

 private:
  bool puts_tensor_away(NodeId node) const {
    return dataflow_.is_clone(node) && puts_away(dataflow_.kind(node));
  }

  std::size_t last_use(NodeId node, const IdVector<NodeId, std::size_t>& position) const {
    const ValueId tensor = dataflow_.topology.inputs[node][0];
    std::size_t last = position[dataflow_.topology.producer[tensor]];
    std::vector<ValueId> members = {tensor};
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (const NodeId reader : dataflow_.topology.readers[members[i]]) {
        if (dataflow_.is_clone(reader)) continue;
        last = std::max(last, position[reader]);
        const Node& reading = graph_.node(reader);
        const auto views =
            views_of(graph_, reading, OpRegistry::standard().find(reading), members[i]);
        members.insert(members.end(), views.begin(), views.end());
      }
    }
    // Some orders run forward nodes late; what is brought back must have been put away by then.
    const NodeId back = dataflow_.topology.readers[dataflow_.topology.outputs[node][0]][0];
    return std::min(last, position[back] - 1);
  }

  const Graph& graph_;
  const Dataflow& dataflow_;
  std::vector<NodeId> order_;
};

/// An order that also says when tensors are put away.
template <std::vector<NodeId> (*Order)(const OrderInput&)>
std::vector<NodeId> with_put_away(const OrderInput& input) {
  return PutAwayPlacer(input, Order(input)).place();
}

constexpr std::array<OrderStrategy, 4> strategies = {{
    {"file", "as the model file lists them", with_put_away<file_order>},
    {"reference", "as the reference runtime runs them: Kahn's algorithm with its priorities",
     with_put_away<reference_order>},
    {"depth-first", "from each output, what it needs first", with_put_away<depth_first_order>},
    {"breadth-first", "level by level", with_put_away<breadth_first_order>},
}};

}  // namespace

bool runs_first(const Node& node) { return node.op_type == "Shape" || node.op_type == "Size"; }

std::vector<NodeId> reference_order(const OrderInput& input) {
  const Dataflow& dataflow = input.dataflow;
  const Topology& topology = dataflow.topology;
  const IdVector<NodeId, bool> forward =
      ancestors(topology, forward_ends(input.graph, input.boundary));
  // Smaller runs first; the id breaks ties.
  const auto priority = [&](NodeId node) {
    const Node& original = input.graph.node(dataflow.origin(node));
    const bool first = dataflow.runs_origin(node) && runs_first(original);
    const int rank = first ? 0 : dataflow.is_clone(node) ? 3 : forward[node] ? 1 : 2;
    return std::pair(rank, node);
  };
  using Entry = std::pair<int, NodeId>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  ReadyTracker tracker(topology);
  tracker.for_each_source([&](NodeId node) { ready.push(priority(node)); });
  std::vector<NodeId> order;
  order.reserve(topology.nodes());
  while (!ready.empty()) {
    const NodeId node = ready.top().second;
    ready.pop();
    order.push_back(node);
    tracker.finish(node, [&](NodeId next) { ready.push(priority(next)); });
  }
  return order;
}

std::span<const OrderStrategy> order_strategies() { return strategies; }

const OrderStrategy& find_order(std::string_view name) {
  for (const OrderStrategy& strategy : strategies) {
    if (strategy.name == name) return strategy;
  }
  std::vector<std::string> names;
  for (const OrderStrategy& strategy : strategies) names.emplace_back(strategy.name);
  fail_usage("order '" + printable(std::string(name)) + "'", "is not known",
             "choose one of " + join(names, ", "));
}

}  // namespace stashscope
