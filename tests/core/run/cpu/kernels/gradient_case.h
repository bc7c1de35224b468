#pragma once

// Gradient rules against central differences, in float64 on tiny graphs.

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "one_node.h"

namespace stashscope::testing_run {

/// An input of the operator under test.
struct GradientOperand {
  enum class Kind { parameter, constant, left_out };

  Kind kind = Kind::left_out;
  std::vector<std::int64_t> dims = {};  ///< of a parameter
  double low = -1;                      ///< range of a parameter's elements
  double high = 1;
  Tensor tensor = {};  ///< of a constant
};

/// Random elements between the bounds; the gradient of this operand is checked.
inline GradientOperand parameter(std::vector<std::int64_t> dims, double low = -1, double high = 1) {
  return {GradientOperand::Kind::parameter, std::move(dims), low, high, {}};
}
inline GradientOperand constant(Tensor tensor) {
  return {GradientOperand::Kind::constant, {}, 0, 0, std::move(tensor)};
}
inline GradientOperand left_out() { return {}; }

/// A list of integers as an operand.
inline GradientOperand numbers_operand(const std::vector<std::int64_t>& items) {
  return constant(Tensor::int64s(items));
}

inline Tensor random_doubles(const std::vector<std::int64_t>& dims, double low, double high,
                             std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(low, high);
  std::vector<double> items(static_cast<std::size_t>(element_count(dims)));
  for (double& item : items) item = uniform(random);
  return doubles(dims, items);
}

/// One operator with its operands.
struct GradientCase {
  std::string name;
  std::string type;
  std::vector<GradientOperand> operands = {};
  Attributes attributes = {};
  std::int64_t opset = 17;
  std::string domain = {};
  std::size_t outputs = 1;
};

inline void PrintTo(const GradientCase& each, std::ostream* out) { *out << each.type; }

inline std::string case_name(const testing::TestParamInfo<GradientCase>& info) {
  return info.param.name;
}

/// Adds operand `index` to a graph: a trained initializer p<index> or a literal c<index>.
inline ValueId add_operand(const GradientCase& each, std::size_t index, GraphData& data,
                           std::mt19937_64& random) {
  const GradientOperand& operand = each.operands[index];
  if (operand.kind == GradientOperand::Kind::left_out) return {};
  const bool trained = operand.kind == GradientOperand::Kind::parameter;
  const Tensor tensor =
      trained ? random_doubles(operand.dims, operand.low, operand.high, random) : operand.tensor;
  const ValueId id = data.add_initializer((trained ? "p" : "c") + std::to_string(index), tensor);
  data.initializers.back().is_literal = !trained;
  return id;
}

/// A graph of one node with outputs y0, y1, ...
inline Graph graph_of(const GradientCase& each) {
  std::mt19937_64 random(7);
  GraphData data;
  data.opsets = {{"", each.opset}, {"com.microsoft", 1}};
  Node node;
  node.name = "node";
  node.domain = each.domain;
  node.op_type = each.type;
  node.attributes = each.attributes;
  for (std::size_t i = 0; i < each.operands.size(); ++i) {
    node.inputs.push_back(add_operand(each, i, data, random));
  }
  for (std::size_t i = 0; i < each.outputs; ++i) {
    node.outputs.push_back(data.add_value("y" + std::to_string(i), {}));
  }
  data.outputs = node.outputs;
  data.nodes.push_back(std::move(node));
  return Graph(std::move(data));
}

/// Like `graph_of`, but in place of p0 with the product of a graph input `x` and a parameter
/// `scale` of one element. The dims of `x` are names, because gradient rules must not need numbers.
inline Graph graph_of_named_dims(const GradientCase& each) {
  GraphData data = graph_of(each).data();
  Shape named;
  for (std::size_t i = 0; i < each.operands[0].dims.size(); ++i) {
    named.push_back(Expr::symbol(data.symbols.intern("dim" + std::to_string(i))));
  }
  data.inputs = {data.add_value("x", {ElementType::float64, named, {}})};
  Node product;
  product.name = "product";
  product.op_type = "Mul";
  product.inputs = {data.inputs[0], data.add_initializer("scale", doubles({1}, {0.8}))};
  data.initializers.back().is_literal = false;
  product.outputs = {data.add_value("scaled", {})};
  Node node = data.nodes[NodeId(0)];
  std::erase_if(data.initializers, [&](const Initializer& i) { return i.value == node.inputs[0]; });
  node.inputs[0] = product.outputs[0];
  data.nodes = {};
  data.nodes.push_back(std::move(product));
  data.nodes.push_back(std::move(node));
  return Graph(std::move(data));
}

/// The same step without any buffer shared in place.
inline RunPlan plan_out_of_place(ModelStep step) {
  step.rules.in_place = {};
  for (std::size_t i = 0; i < step.step.graph->nodes().size(); ++i) step.rules.in_place.start_row();
  return step.default_plan();
}

/// The function whose gradient is checked: the sum of seed * output over all outputs with a seed.
inline double weighted_sum(const NamedTensors& outputs, const NamedTensors& inputs) {
  double sum = 0;
  for (const auto& [name, output] : outputs) {
    const auto seed = inputs.find(name + "_grad");
    if (seed == inputs.end()) continue;
    const std::vector<double> items = numbers(output);
    const std::vector<double> weights = numbers(seed->second);
    for (std::size_t i = 0; i < items.size(); ++i) sum += items[i] * weights[i];
  }
  return sum;
}

/// Adds a random gradient for every output from which the backward pass starts.
inline NamedTensors with_seeds(const ModelStep& step, const RunPlan& plan, NamedTensors inputs) {
  std::mt19937_64 random(11);
  const NamedTensors outputs = run_on_cpu(plan, inputs).outputs;
  for (const ValueId seed : step.step.graph->node(step.step.boundary.yield).outputs) {
    const std::string name = step.step.graph->value(seed).name;
    const Tensor& output = outputs.at(name.substr(0, name.rfind("_grad")));
    inputs[name] = random_doubles(output.dims(), 0.5, 1.5, random);
  }
  return inputs;
}

/// Compares the gradients of a model's parameters with central differences, and bit by bit with
/// those of a run without in-place buffers.
inline void check_gradients(const Graph& model, const NamedTensors& given = {}) {
  const TrainingStep trained = prepare_training_step(model, {});
  ASSERT_FALSE(trained.parameters.empty()) << (trained.warnings.empty() ? "" : trained.warnings[0]);
  const ModelStep step(trained, given);
  const RunPlan plan = step.default_plan();
  NamedTensors inputs = with_seeds(step, plan, given);
  const RunResult result = run_on_cpu(plan, inputs);
  for (const auto& [name, tensor] : run_on_cpu(plan_out_of_place(step), inputs).outputs) {
    EXPECT_TRUE(same_bits(tensor, result.outputs.at(name))) << name;
  }
  constexpr double step_size = 1e-4;
  for (const Parameter& parameter : trained.parameters) {
    const std::string& name = trained.graph->value(parameter.value).name;
    const Tensor& start = trained.graph->initializer(parameter.value)->tensor;
    ASSERT_TRUE(parameter.gradient.valid()) << name;
    const Tensor& gradient = result.outputs.at(trained.graph->value(parameter.gradient).name);
    ASSERT_EQ(gradient.dims(), start.dims()) << name;
    std::vector<double> items = numbers(start);
    const std::vector<double> ours = numbers(gradient);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto at = [&](double moved) {
        std::vector<double> changed = items;
        changed[i] += moved;
        inputs[name] = doubles(start.dims(), changed);
        return weighted_sum(run_on_cpu(plan, inputs).outputs, inputs);
      };
      const double slope = (at(step_size) - at(-step_size)) / (2 * step_size);
      EXPECT_NEAR(ours[i], slope, 1e-6 * (1 + std::abs(slope))) << name << " element " << i;
    }
    inputs.erase(name);
  }
}

/// Checks the gradients of a case, also with named dims if its first operand has dims.
inline void check_gradients(const GradientCase& each) {
  check_gradients(graph_of(each));
  const GradientOperand& first = each.operands[0];
  if (first.kind != GradientOperand::Kind::parameter || first.dims.empty() || each.opset < 13)
    return;
  SCOPED_TRACE("with named dims");
  std::mt19937_64 random(7);
  check_gradients(graph_of_named_dims(each),
                  {{"x", random_doubles(first.dims, first.low, first.high, random)}});
}

}  // namespace stashscope::testing_run
