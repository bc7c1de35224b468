#include "core/planner/cost_model.h"

#include <algorithm>
#include <optional>

#include "core/graph/captured_step.h"
#include "core/graph/micro_batches.h"

namespace stashscope {

namespace {

std::vector<std::int64_t> concrete_dims(const Graph& graph, const Bindings& bindings, ValueId id) {
  std::vector<std::int64_t> dims;
  const auto& shape = graph.value(id).type.shape;
  if (!shape) return dims;
  for (const Expr& dim : *shape) dims.push_back(dim.evaluate(bindings).value_or(0));
  return dims;
}

/// Whether every output of the node is a view of an input.
bool is_view(const Graph& graph, const Node& node, const Op* op) {
  if (op == nullptr || op->alias == nullptr || !op->alias_is_view || node.outputs.empty()) {
    return false;
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].valid() && !op->alias(graph, node, i)) return false;
  }
  return true;
}

/// Whether every output of the node is computed from known dimensions.
bool is_shape_computation(const Graph& graph, const Node& node) {
  return std::ranges::all_of(node.outputs, [&](ValueId each) {
    return !each.valid() || graph.value(each).contents != nullptr;
  });
}

/// The dims and bytes of one node's operands.
class CostOperands {
 public:
  CostOperands(const Graph& graph, const Bindings& bindings,
               const IdVector<ValueId, std::int64_t>& bytes)
      : bindings_(bindings), captured_(graph.data().captured.get()), bytes_(bytes) {
    dims_.reserve(bytes.size());
    for (const ValueId id : IdRange<ValueId>(bytes.size())) {
      dims_.push_back(concrete_dims(graph, bindings, id));
    }
  }

  CostContext of(const Node& node, NodeId id) {
    collect(node.inputs, input_dims_, input_bytes_);
    collect(node.outputs, output_dims_, output_bytes_);
    return {node, input_dims_, output_dims_, input_bytes_, output_bytes_, counted_flops(id)};
  }

 private:
  std::optional<double> counted_flops(NodeId id) const {
    if (captured_ == nullptr || !captured_->flops[id]) return std::nullopt;
    return static_cast<double>(captured_->flops[id]->evaluate(bindings_).value_or(0));
  }

  void collect(const std::vector<ValueId>& values, std::vector<std::vector<std::int64_t>>& dims,
               std::vector<std::int64_t>& bytes) {
    dims.clear();
    bytes.clear();
    for (const ValueId each : values) {
      dims.push_back(each.valid() ? dims_[each] : std::vector<std::int64_t>());
      bytes.push_back(each.valid() ? bytes_[each] : 0);
    }
  }

  const Bindings& bindings_;
  const CapturedStep* captured_;
  const IdVector<ValueId, std::int64_t>& bytes_;
  IdVector<ValueId, std::vector<std::int64_t>> dims_;
  std::vector<std::vector<std::int64_t>> input_dims_;
  std::vector<std::vector<std::int64_t>> output_dims_;
  std::vector<std::int64_t> input_bytes_;
  std::vector<std::int64_t> output_bytes_;
};

}  // namespace

ElementType computing_type(const Graph& graph, const Node& node) {
  ElementType last = ElementType::undefined;
  for (const auto* const values : {&node.inputs, &node.outputs}) {
    for (const ValueId each : *values) {
      if (!each.valid()) continue;
      last = graph.value(each).type.element;
      if (is_floating(last)) return last;
    }
  }
  return last;
}

NodeWork node_work(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                   const Bindings& bindings, const IdVector<ValueId, std::int64_t>& bytes) {
  const std::size_t count = graph.nodes().size();
  NodeWork work{IdVector<NodeId, double>(count, 0), IdVector<NodeId, double>(count, 0),
                static_cast<double>(runs_in_step(graph))};
  CostOperands operands(graph, bindings, bytes);
  for (const NodeId id : IdRange<NodeId>(count)) {
    const Node& node = graph.node(id);
    if (is_view(graph, node, ops[id]) || is_shape_computation(graph, node)) continue;
    const CostContext cost = operands.of(node, id);
    work.flops[id] = work.runs * flops_of(ops[id], cost);
    work.bytes[id] = work.runs * bytes_moved(ops[id], cost);
  }
  return work;
}

double roofline_seconds(double flops, double bytes, ComputeUnit unit, ElementType element,
                        const DeviceProfile& profile) {
  if (flops == 0 && bytes == 0) return 0;
  const double bandwidth =
      unit == ComputeUnit::link ? profile.link_bandwidth : memory_bandwidth(profile);
  const double computing = flops / operations_per_second(profile, unit, element);
  return std::max(computing, bytes / bandwidth) + profile.launch_seconds;
}

NodeTimes roofline_times(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                         const NodeWork& work, const DeviceProfile& profile) {
  NodeTimes times;
  times.reserve(graph.nodes().size());
  for (const NodeId id : IdRange<NodeId>(graph.nodes().size())) {
    const ComputeUnit unit = ops[id] == nullptr ? ComputeUnit::vector : ops[id]->unit;
    const double once = roofline_seconds(work.flops[id] / work.runs, work.bytes[id] / work.runs,
                                         unit, computing_type(graph, graph.node(id)), profile);
    times.push_back(work.runs * once);
  }
  return times;
}

void MeasuredTimes::add(const Dataflow& dataflow, const std::vector<NodeId>& order,
                        std::span<const double> seconds) {
  if (seconds.size() != order.size()) return;
  for (std::size_t step = 0; step < order.size(); ++step) {
    if (!dataflow.runs_origin(order[step])) continue;
    const NodeId node = dataflow.origin(order[step]);
    seconds_[node] += seconds[step];
    ++runs_[node];
  }
}

std::size_t MeasuredTimes::replace(NodeTimes& times) const {
  std::size_t replaced = 0;
  for (const NodeId id : IdRange<NodeId>(times.size())) {
    if (runs_[id] == 0) continue;
    times[id] = seconds_[id] / runs_[id];
    ++replaced;
  }
  return replaced;
}

}  // namespace stashscope
