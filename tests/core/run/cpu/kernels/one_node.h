#pragma once

// Running a single operator.

#include "tests/core/run/models/model_run.h"

namespace stashscope::testing_run {

/// The node to run. Default-constructed tensors (no dims, no elements) are inputs left out.
struct OneNode {
  std::string type;
  std::vector<Tensor> inputs = {};
  Attributes attributes = {};
  std::int64_t opset = 18;
  std::string domain = {};
  std::size_t outputs = 1;
};

/// A graph of the node. Its inputs are initializers x0, x1, ..., its outputs y0, y1, ...
/// @param is_trained whether a tensor is a parameter; else it is a literal
template <class IsTrained>
Graph graph_of(const OneNode& what, const IsTrained& is_trained) {
  GraphData data;
  data.opsets = {{"", what.opset}, {"com.microsoft", 1}, {"org.pytorch.aten", 1}};
  Node node;
  node.name = "node";
  node.domain = what.domain;
  node.op_type = what.type;
  node.attributes = what.attributes;
  for (const Tensor& tensor : what.inputs) {
    const bool present = tensor.element() != ElementType::undefined;
    const std::string name = "x" + std::to_string(node.inputs.size());
    node.inputs.push_back(present ? data.add_initializer(name, tensor) : ValueId());
    if (present) data.initializers.back().is_literal = !is_trained(tensor);
  }
  for (std::size_t i = 0; i < what.outputs; ++i) {
    node.outputs.push_back(data.add_value("y" + std::to_string(i), {}));
  }
  data.outputs = node.outputs;
  data.nodes.push_back(std::move(node));
  return Graph(std::move(data));
}

/// The outputs of one node.
inline std::vector<Tensor> run_node(const OneNode& what) {
  const auto all = [](const Tensor&) { return true; };
  TrainingStep step;
  step.graph = std::make_shared<const Graph>(graph_of(what, all));
  const RunResult result = run_on_cpu(ModelStep(std::move(step), {}).default_plan(), {});
  std::vector<Tensor> outputs;
  for (std::size_t i = 0; i < what.outputs; ++i) {
    outputs.push_back(result.outputs.at("y" + std::to_string(i)));
  }
  return outputs;
}

/// The elements of one output.
inline std::vector<double> result_of(const OneNode& what, std::size_t output = 0) {
  return numbers(run_node(what)[output]);
}

template <class T>
Tensor tensor_of(ElementType element, std::vector<std::int64_t> dims, const std::vector<T>& items) {
  return {element, std::move(dims),
          std::string(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T))};
}
inline Tensor doubles(std::vector<std::int64_t> dims, const std::vector<double>& items) {
  return tensor_of(ElementType::float64, std::move(dims), items);
}
inline Tensor integers(std::vector<std::int64_t> dims, const std::vector<std::int64_t>& items) {
  return tensor_of(ElementType::int64, std::move(dims), items);
}
inline Tensor int32s(std::vector<std::int64_t> dims, const std::vector<std::int32_t>& items) {
  return tensor_of(ElementType::int32, std::move(dims), items);
}
inline Tensor int32s(const std::vector<std::int32_t>& items) {
  return int32s({std::ssize(items)}, items);
}
inline Tensor flags(std::vector<std::int64_t> dims, const std::vector<char>& items) {
  return tensor_of(ElementType::boolean, std::move(dims), items);
}
inline Tensor singles(const std::vector<float>& items) {
  return tensor_of(ElementType::float32, {static_cast<std::int64_t>(items.size())}, items);
}
inline Tensor singles(std::vector<std::int64_t> dims, const std::vector<float>& items) {
  return tensor_of(ElementType::float32, std::move(dims), items);
}

}  // namespace stashscope::testing_run
