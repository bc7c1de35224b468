#pragma once

// FusedAttention as the nodes that it replaces.

#include "tests/core/run/cpu/kernels/element_types.h"

namespace stashscope::testing_run {

using Dims = std::vector<std::int64_t>;

/// A node FusedAttention on parameters Q, K and V.
struct FusedCase {
  std::string name;
  Dims q;
  Dims k;
  Dims v;
  Strings steps = {};
  std::vector<GradientOperand> operands = {};
  Attributes attributes = {};
};

inline void PrintTo(const FusedCase& each, std::ostream* out) { *out << each.name; }

inline GradientCase gradient_case(const FusedCase& each) {
  GradientCase made{.name = each.name,
                    .type = "FusedAttention",
                    .operands = {parameter(each.q), parameter(each.k), parameter(each.v)},
                    .attributes = each.attributes,
                    .opset = 17,
                    .domain = "com.microsoft"};
  made.operands.insert(made.operands.end(), each.operands.begin(), each.operands.end());
  made.attributes.set("steps", each.steps);
  return made;
}

/// Adds the nodes of a decomposed attention to a graph.
class Decomposition {
 public:
  Decomposition(GraphData& data, const FusedCase& each) : data_(data), each_(each) {}

  ValueId add(const std::string& type, std::vector<ValueId> inputs, Attributes attributes = {}) {
    Node node;
    node.op_type = type;
    node.name = type + std::to_string(data_.nodes.size());
    node.inputs = std::move(inputs);
    const ValueId output = data_.add_value("t" + std::to_string(data_.nodes.size()), {});
    node.outputs = {output};
    node.attributes = std::move(attributes);
    data_.nodes.push_back(std::move(node));
    return output;
  }

  /// `id` with its axes permuted by an attribute; `dims` becomes the permuted dims.
  ValueId permuted(ValueId id, const char* attribute, Dims& dims) {
    const Integers perm = each_.attributes.integers(attribute);
    if (perm.empty()) return id;
    Dims moved;
    for (const std::int64_t axis : perm) moved.push_back(dims[static_cast<std::size_t>(axis)]);
    dims = moved;
    return add("Transpose", {id}, {{"perm", perm}});
  }

  /// Repeats each head, so that there are as many as `heads`.
  ValueId repeated(ValueId id, Dims& dims, std::int64_t heads) {
    if (dims.size() < 3 || dims[dims.size() - 3] == heads || dims[dims.size() - 3] == 1) return id;
    const auto axis = static_cast<std::ptrdiff_t>(dims.size() - 2);
    Dims split = dims;
    split.insert(split.begin() + axis, 1);
    const ValueId apart = add("Reshape", {id, integers_of(split)});
    split[static_cast<std::size_t>(axis)] = heads / dims[dims.size() - 3];
    const ValueId expanded = add("Expand", {apart, integers_of(split)});
    dims[dims.size() - 3] = heads;
    return add("Reshape", {expanded, integers_of(dims)});
  }

  ValueId swapped(ValueId id, std::size_t rank) {
    Integers perm(rank);
    for (std::size_t i = 0; i < rank; ++i) perm[i] = static_cast<std::int64_t>(i);
    std::swap(perm[rank - 1], perm[rank - 2]);
    return add("Transpose", {id}, {{"perm", perm}});
  }

  ValueId stepped(ValueId scores, const std::vector<ValueId>& inputs) {
    std::size_t next = 3;
    for (const std::string& step : each_.steps) {
      if (step == "Tanh") {
        scores = add(step, {scores});
      } else if (step == "Where" || step == "WhereNot") {
        const ValueId x = inputs[next + 1];
        const bool takes = step == "Where";
        scores = add("Where", {inputs[next], takes ? scores : x, takes ? x : scores});
        next += 2;
      } else {
        scores = add(step, {scores, inputs[next++]});
      }
    }
    return scores;
  }

  ValueId dropped(ValueId weights) {
    const float share = each_.attributes.real("dropout", 0);
    if (share == 0) return weights;
    const ValueId ratio =
        literal("ratio", Tensor::float_scalar(ElementType::float32, double{share}));
    const ValueId trains = literal("trains", flags({}, {1}));
    return add("Dropout", {weights, ratio, trains},
               {{"seed", each_.attributes.integer("dropout_seed", 0)}});
  }

 private:
  ValueId literal(const std::string& name, Tensor tensor) {
    const ValueId id = data_.add_initializer(name + std::to_string(data_.values.size()), tensor);
    data_.initializers.back().is_literal = true;
    return id;
  }
  ValueId integers_of(const Dims& dims) { return literal("dims", Tensor::int64s(dims)); }

  GraphData& data_;
  const FusedCase& each_;
};

/// The graph of the case with plain nodes in place of the fused one.
inline Graph decomposed(const FusedCase& each) {
  GraphData data = graph_of(gradient_case(each)).data();
  const std::vector<ValueId> inputs = data.nodes[NodeId(0)].inputs;
  data.nodes = {};
  Decomposition nodes(data, each);
  Dims q = each.q;
  Dims k = each.k;
  Dims v = each.v;
  const ValueId queries = nodes.permuted(inputs[0], "query_perm", q);
  ValueId keys = nodes.permuted(inputs[1], "key_perm", k);
  ValueId values = nodes.permuted(inputs[2], "value_perm", v);
  const std::int64_t heads = q.size() > 2 ? q[q.size() - 3] : 1;
  if (heads > 1) {
    keys = nodes.repeated(keys, k, heads);
    values = nodes.repeated(values, v, heads);
  }
  const ValueId products = nodes.add("MatMul", {queries, nodes.swapped(keys, k.size())});
  const ValueId weights =
      nodes.add("Softmax", {nodes.stepped(products, inputs)}, {{"axis", std::int64_t{-1}}});
  ValueId result = nodes.add("MatMul", {nodes.dropped(weights), values});
  const Integers perm = each.attributes.integers("output_perm");
  if (!perm.empty()) result = nodes.add("Transpose", {result}, {{"perm", perm}});
  data.values[result].name = "y0";
  data.values[data.outputs[0]].name = "unused";
  data.outputs = {result};
  return Graph(std::move(data));
}

/// Outputs and gradients of a model, with given gradients of its outputs.
inline NamedTensors step_results(const Graph& model, const NamedTensors& seeds) {
  const ModelStep step(prepare_training_step(model, {}), {});
  return run_on_cpu(step.default_plan(), seeds).outputs;
}

/// Compares result and gradients of the fused node in a type with those of the decomposed nodes in
/// float64. @param tolerance relative to the largest number of each tensor
inline void compare_with_decomposed(const FusedCase& each, ElementType element, double tolerance) {
  SCOPED_TRACE(each.name + " in " + std::string(name_of(element)));
  const Graph plain = decomposed(each);
  const ModelStep exact(prepare_training_step(plain, {}), {});
  const NamedTensors seeds = with_seeds(exact, exact.default_plan(), {});
  const NamedTensors expected = run_on_cpu(exact.default_plan(), seeds).outputs;
  NamedTensors given;
  for (const auto& [name, seed] : seeds) given.emplace(name, converted(seed, element));
  const NamedTensors found = step_results(converted(graph_of(gradient_case(each)), element), given);
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [name, tensor] : expected) {
    ASSERT_TRUE(found.contains(name)) << name;
    ASSERT_EQ(found.at(name).dims(), tensor.dims()) << name;
    EXPECT_EQ(found.at(name).element(), element) << name;
    const Difference off = stashscope::difference(numbers(found.at(name)), numbers(tensor));
    EXPECT_LE(off.largest, tolerance * std::max(off.largest_value, 0.1)) << name;
  }
}

}  // namespace stashscope::testing_run
