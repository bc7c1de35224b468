#pragma once

// Kernels of the other floating types compared with those of float64.

#include "core/graph/half.h"
#include "gradient_case.h"

namespace stashscope::testing_run {

inline Tensor converted(const Tensor& tensor, ElementType element) {
  if (tensor.element() != ElementType::float64) return tensor;
  const std::vector<double> items = numbers(tensor);
  std::string raw;
  for (const double item : items) {
    const TensorBytes bytes = Tensor::float_scalar(element, item).load();
    raw.append(reinterpret_cast<const char*>(bytes.bytes.data()), bytes.bytes.size());
  }
  return {element, tensor.dims(), std::move(raw)};
}

/// A float64 graph converted to another floating type. Statistics stay in float32.
inline Graph converted(const Graph& graph, ElementType element) {
  GraphData data = graph.data();
  for (Node& node : data.nodes) {
    if (node.attributes.has("stash_type")) node.attributes.set("stash_type", std::int64_t{1});
    if (node.op_type == "Cast") node.attributes.set("to", static_cast<std::int64_t>(element));
  }
  for (Value& value : data.values) {
    if (value.type.element == ElementType::float64) value.type.element = element;
  }
  for (Initializer& each : data.initializers) each.tensor = converted(each.tensor, element);
  return Graph(std::move(data));
}

/// Tolerance for results of a type against float64, relative to the largest value.
inline double tolerance_of(ElementType element) {
  return element == ElementType::float32 ? 2e-6 : element == ElementType::float16 ? 1e-2 : 8e-2;
}

/// Checks outputs and gradients of a case in float32 and both 16-bit types.
inline void check_element_types(const GradientCase& each) {
  const Graph model = graph_of(each);
  const ModelStep exact(prepare_training_step(model, {}), {});
  const NamedTensors seeds = with_seeds(exact, exact.default_plan(), {});
  const NamedTensors expected = run_on_cpu(exact.default_plan(), seeds).outputs;
  for (const ElementType element :
       {ElementType::float32, ElementType::float16, ElementType::bfloat16}) {
    SCOPED_TRACE(std::string(name_of(element)));
    NamedTensors inputs;
    for (const auto& [name, seed] : seeds) inputs.emplace(name, converted(seed, element));
    const ModelStep step(prepare_training_step(converted(model, element), {}), {});
    for (const auto& [name, tensor] : run_on_cpu(step.default_plan(), inputs).outputs) {
      if (!is_floating(tensor.element())) continue;
      ASSERT_EQ(tensor.element(), element) << name;
      const std::vector<double> items = numbers(tensor);
      const Difference found = difference(doubles(tensor.dims(), items), expected.at(name));
      EXPECT_LE(found.largest, tolerance_of(element) * std::max(found.largest_value, 0.1)) << name;
    }
  }
}

}  // namespace stashscope::testing_run
