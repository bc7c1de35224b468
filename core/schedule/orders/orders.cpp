#include "core/schedule/orders/orders.h"

#include <array>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/schedule/orders/clone_placement.h"
#include "core/schedule/orders/strategies.h"

namespace stashscope {

namespace {

using Order = std::vector<NodeId>(const OrderInput&);

std::vector<NodeId> as_in_file(const OrderInput& input) {
  return file_order(input.dataflow.topology);
}

std::vector<NodeId> as_reference(const OrderInput& input) {
  return reference_order(input.graph, input.dataflow, input.forward_ends);
}

std::vector<NodeId> as_searched(const OrderInput& input) { return searched_order(input).nodes; }

/// Places the evictions in an order that already places clones.
template <Order* order>
std::vector<NodeId> with_evictions(const OrderInput& input) {
  return place_evictions(input.graph, input.dataflow, order(input));
}

/// Places the clones and the evictions in an order that places neither.
template <Order* order>
std::vector<NodeId> with_late_clones(const OrderInput& input) {
  return place_evictions(input.graph, input.dataflow,
                         place_clones_late(input.dataflow, order(input)));
}

constexpr std::array<OrderStrategy, 9> strategies = {{
    {"file", "the order of the model file", OrderKind::rule, with_evictions<as_in_file>},
    {"reference", "the order of ONNX Runtime: Kahn's algorithm with node priorities",
     OrderKind::rule, with_evictions<as_reference>},
    {"depth-first", "depth first from each output", OrderKind::rule,
     with_evictions<depth_first_order>},
    {"reverse-depth-first", "reverse postorder from the inputs", OrderKind::rule,
     with_late_clones<reverse_depth_first_order>},
    {"breadth-first", "level by level", OrderKind::rule, with_evictions<breadth_first_order>},
    {"largest-first", "built from the end: the node that allocates the most comes last",
     OrderKind::rule, with_late_clones<largest_first_order>},
    {"bytes-freed", "the ready node with the most bytes freed minus bytes allocated runs next",
     OrderKind::rule, with_late_clones<bytes_freed_order>},
    {"best", "the rule whose order has the lowest peak", OrderKind::best_of, best_order},
    {"minimal", "search for the lowest peak: proven on small graphs, else with a lower bound",
     OrderKind::search, as_searched, searched_order},
}};

}  // namespace

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
