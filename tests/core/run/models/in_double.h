#pragma once

// A float32 model as float64, to compare with oracles more closely than float32 allows.

#include "core/run/step/runner.h"

namespace stashscope::testing_run {

inline Tensor in_double(const Tensor& tensor) {
  if (tensor.element() != ElementType::float32 || !tensor.has_data()) return tensor;
  const std::vector<double> items = *tensor.reals();
  return {ElementType::float64, tensor.dims(),
          std::string(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(double))};
}

inline NamedTensors in_double(NamedTensors tensors) {
  for (auto& [name, tensor] : tensors) tensor = in_double(tensor);
  return tensors;
}

/// Attributes that name an element type.
inline bool names_type(const std::string& attribute) {
  return attribute == "to" || attribute == "dtype" || attribute == "stash_type";
}

inline Attributes in_double(const Node& node) {
  Attributes attributes;
  for (const auto& [name, value] : node.attributes.items()) {
    if (const auto* const tensor = std::get_if<Tensor>(&value)) {
      attributes.set(name, in_double(*tensor));
    } else if (names_type(name) && std::get<std::int64_t>(value) == 1) {
      attributes.set(name, static_cast<std::int64_t>(ElementType::float64));
    } else {
      attributes.set(name, value);
    }
  }
  if (node.op_type == "LayerNormalization") {
    attributes.set("stash_type", static_cast<std::int64_t>(ElementType::float64));
  }
  return attributes;
}

/// Values that stay float32: the scales of Resize, which must have this type, and what they are
/// computed from.
inline IdVector<ValueId, bool> scales_of_resize(const Graph& graph) {
  IdVector<ValueId, bool> kept(graph.values().size(), false);
  for (std::size_t i = graph.nodes().size(); i-- > 0;) {
    const Node& node = graph.node(NodeId(i));
    const bool makes_scales = node.op_type != "Resize" && kept[node.outputs[0]];
    const std::size_t first = node.op_type == "Resize" ? 1 : makes_scales ? 0 : node.inputs.size();
    for (std::size_t k = first; k < node.inputs.size(); ++k) {
      if (node.inputs[k].valid()) kept[node.inputs[k]] = true;
    }
  }
  return kept;
}

/// Every other float32 value and constant as float64.
inline Graph in_double(const Graph& graph) {
  GraphData data = graph.data();
  const IdVector<ValueId, bool> kept = scales_of_resize(graph);
  for (Node& node : data.nodes) {
    if (!kept[node.outputs[0]]) node.attributes = in_double(node);
  }
  for (const ValueId id : IdRange<ValueId>(data.values.size())) {
    ElementType& element = data.values[id].type.element;
    if (element == ElementType::float32 && !kept[id]) element = ElementType::float64;
  }
  for (Initializer& each : data.initializers) {
    if (!kept[each.value]) each.tensor = in_double(each.tensor);
  }
  return Graph(std::move(data));
}

}  // namespace stashscope::testing_run
