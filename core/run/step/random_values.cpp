#include "core/run/step/random_values.h"

#include "core/ops/families/dropout.h"
#include "core/ops/families/standard_ops.h"
#include "core/ops/rules/op.h"
#include "core/run/measurement/difference.h"

namespace stashscope {

namespace {

/// The single element of an operand, if it is known from the graph or from `inputs`.
std::optional<double> known_number(const Graph& graph, const NamedTensors& inputs, ValueId id) {
  const Value& value = graph.value(id);
  const auto given = inputs.find(value.name);
  const Initializer* const initializer = graph.initializer(id);
  if (given != inputs.end() || initializer != nullptr) {
    const std::vector<double> items =
        numbers(given != inputs.end() ? given->second : initializer->tensor);
    return items.size() == 1 ? std::optional(items[0]) : std::nullopt;
  }
  return std::nullopt;
}

/// Whether a node draws random numbers on which its outputs depend.
bool draws(const Graph& graph, const NamedTensors& inputs, const Node& node, const Op& op) {
  if (!op.random) return false;
  if (!op.type.ends_with("Dropout")) return true;
  if (!dropout_trains(graph, node)) return false;
  const std::size_t ratio = dropout_ratio_input(op.type);
  for (std::size_t i = ratio; i < std::min(ratio + 2, node.inputs.size()); ++i) {
    if (node.inputs[i].valid() && known_number(graph, inputs, node.inputs[i]) == 0.0) return false;
  }
  return true;
}

/// Whether the node reads the elements of its inputs. Shape and Size read only the dims. Dims are
/// treated as not random, although some dims depend on random elements.
bool reads_elements(const Node& node) {
  return !(node.domain.empty() && (node.op_type == "Shape" || node.op_type == "Size"));
}

}  // namespace

IdVector<ValueId, bool> random_values(const Graph& graph, const NamedTensors& inputs) {
  IdVector<ValueId, bool> random(graph.values().size(), false);
  const IdVector<NodeId, const Op*> ops = resolve_ops(graph);
  for (const NodeId id : IdRange<NodeId>(graph.nodes().size())) {
    const Node& node = graph.node(id);
    bool any = ops[id] != nullptr && draws(graph, inputs, node, *ops[id]);
    if (reads_elements(node)) {
      for (const ValueId input : graph.topology().inputs[id]) {
        any = any || (input.valid() && random[input]);
      }
    }
    for (const ValueId output : graph.topology().outputs[id]) random[output] = any;
  }
  return random;
}

}  // namespace stashscope
