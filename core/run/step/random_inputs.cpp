#include "core/run/step/random_inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "core/base/advice.h"
#include "core/base/error.h"
#include "core/graph/half.h"
#include "core/ops/rules/elementwise.h"
#include "core/ops/rules/linear_loss_places.h"
#include "core/run/step/micro_tensors.h"
#include "core/run/step/normal_numbers.h"
#include "core/run/step/padded_inputs.h"

namespace stashscope {

namespace {

/// Whether a bound on the elements of the outputs also bounds this operand, because the outputs
/// contain the operand's elements.
bool bounds_operand(const Node& node, ValueId operand) {
  if (node.op_type == "Concat") return true;
  if (node.inputs.empty() || node.inputs[0] != operand) return false;
  const bool is_padding = node.op_type == "Pad" || node.op_type == "FlattenAndUnpad";
  return passes_elements_on(node) || node.op_type == "Cast" || is_padding;
}

std::optional<std::int64_t> dim_of(const Graph& graph, const Bindings& bindings, ValueId value,
                                   std::int64_t axis) {
  const auto& shape = graph.value(value).type.shape;
  if (!shape) return std::nullopt;
  if (axis < 0) axis += std::ssize(*shape);
  if (axis < 0 || axis >= std::ssize(*shape)) return std::nullopt;
  return (*shape)[static_cast<std::size_t>(axis)].evaluate(bindings);
}

/// The elements of the integer operand `operand` of `node` must be below this number; nullopt if
/// unknown.
std::optional<std::int64_t> bound_at(const Graph& graph, const Bindings& bindings, const Node& node,
                                     ValueId operand) {
  const auto is_input = [&](std::size_t i) {
    return i < node.inputs.size() && node.inputs[i] == operand;
  };
  if (node.op_type == "Gather" && is_input(1)) {
    return dim_of(graph, bindings, node.inputs[0], node.attributes.integer("axis", 0));
  }
  if (node.op_type == "ATen" && is_input(1)) return dim_of(graph, bindings, node.inputs[0], 0);
  const bool is_loss = node.op_type.starts_with("SoftmaxCrossEntropyLoss") ||
                       node.op_type.starts_with("NegativeLogLikelihoodLoss");
  if (is_loss && !node.op_type.ends_with("Grad") && is_input(1)) {
    return dim_of(graph, bindings, node.inputs[0], 1);
  }
  if (node.op_type == "LinearCrossEntropyLoss" && is_input(linear_loss_places::forward.labels)) {
    return dim_of(graph, bindings, node.inputs[linear_loss_places::forward.weight],
                  node.attributes.integer("transposed", 0) ? 0 : 1);
  }
  if (node.op_type == "GatherElements" && is_input(1)) {
    return dim_of(graph, bindings, node.inputs[0], node.attributes.integer("axis", 0));
  }
  return std::nullopt;
}

/// The smallest bound that any reader sets, including readers behind operators that pass the
/// elements on. Returns 2, which fits masks and flags, when no reader sets a bound.
std::int64_t bound_of(const Graph& graph, const Bindings& bindings, ValueId input) {
  std::int64_t bound = std::numeric_limits<std::int64_t>::max();
  std::vector<ValueId> stack = {input};
  IdVector<ValueId, bool> seen(graph.values().size(), false);
  while (!stack.empty()) {
    const ValueId value = stack.back();
    stack.pop_back();
    if (seen[value]) continue;
    seen[value] = true;
    for (const NodeId reader : graph.topology().readers[value]) {
      const Node& node = graph.node(reader);
      if (const auto here = bound_at(graph, bindings, node, value)) bound = std::min(bound, *here);
      if (!bounds_operand(node, value)) continue;
      for (const ValueId output : graph.topology().outputs[reader]) stack.push_back(output);
    }
  }
  return bound == std::numeric_limits<std::int64_t>::max() ? 2 : bound;
}

std::vector<std::int64_t> dims_of(const Graph& graph, const Bindings& bindings, ValueId id) {
  const Value& value = graph.value(id);
  if (!value.type.shape)
    fail_input(describe(value), "its shape is unknown, so no random data can be generated",
               "give its data with --inputs DIR");
  std::vector<std::int64_t> dims;
  for (const Expr& dim : *value.type.shape) {
    const auto number = dim.evaluate(bindings);
    if (!number) {
      fail_input(describe(value),
                 "its dimension " + to_string(dim, graph.symbols()) + " has no value",
                 option_hint({Advice::Action::set_dimension, "the dimension"}));
    }
    dims.push_back(*number);
  }
  return dims;
}

template <class T>
void put(std::string& raw, std::size_t index, T item) {
  std::memcpy(raw.data() + index * sizeof(T), &item, sizeof(T));
}

/// The bytes of `count` normal numbers, each converted by `convert` to the tensor's type.
template <class Convert>
std::string raw_normals(std::size_t count, float deviation, MersenneWords& random,
                        Convert convert) {
  using T = decltype(convert(0.0F));
  std::string raw(count * sizeof(T), '\0');
  draw_normal_numbers(random, count, deviation,
                      [&](std::size_t first, std::span<const float> numbers) {
                        for (std::size_t i = 0; i < numbers.size(); ++i) {
                          put<T>(raw, first + i, convert(numbers[i]));
                        }
                      });
  return raw;
}

[[noreturn]] void fail_unsupported(ElementType element) {
  fail_input("", "random data of type " + std::string(name_of(element)) + " is not supported",
             "give the data with --inputs DIR");
}

std::string raw_reals(ElementType element, std::size_t count, float deviation,
                      MersenneWords& random) {
  switch (element) {
    case ElementType::float16:
      return raw_normals(count, deviation, random, half_from_float);
    case ElementType::bfloat16:
      return raw_normals(count, deviation, random, bfloat_from_float);
    case ElementType::float32:
      return raw_normals(count, deviation, random, [](float number) { return number; });
    case ElementType::float64:
      return raw_normals(count, deviation, random, [](float number) { return double{number}; });
    default:
      fail_unsupported(element);
  }
}

/// Normal numbers of deviation 1/sqrt(fan in), so that activations neither vanish nor explode. The
/// fan in is the product of all dims except the first.
Tensor random_reals(ElementType element, std::vector<std::int64_t> dims, MersenneWords& random) {
  const auto count = static_cast<std::size_t>(element_count(dims));
  double fan_in = 1;
  for (std::size_t i = 1; i < dims.size(); ++i) fan_in *= static_cast<double>(dims[i]);
  std::string raw = raw_reals(element, count, static_cast<float>(1 / std::sqrt(fan_in)), random);
  return {element, std::move(dims), std::move(raw)};
}

/// The greatest number that an integer or boolean type and int64 both hold.
std::int64_t greatest_number(ElementType element) {
  std::int64_t number = std::numeric_limits<std::int64_t>::max();
  while (!can_hold(element, number)) number /= 2;
  return number;
}

Tensor random_integers(ElementType element, std::vector<std::int64_t> dims, std::int64_t bound,
                       MersenneWords& random) {
  const bool is_whole = is_integer(element) || element == ElementType::boolean;
  if (!is_whole || bits_per_element(element) < 8) fail_unsupported(element);
  const std::int64_t largest =
      std::min(std::max<std::int64_t>(0, bound - 1), greatest_number(element));
  std::uniform_int_distribution<std::int64_t> uniform(0, largest);
  Integers items(static_cast<std::size_t>(element_count(dims)));
  for (std::int64_t& item : items) item = uniform(random);
  return Tensor::of_integers(element, std::move(dims), items);
}

}  // namespace

NamedTensors with_random_inputs(const Graph& graph, const Bindings& bindings, NamedTensors given,
                                std::uint64_t seed) {
  MersenneWords random(seed);
  const bool pads = makes_padding(graph, given);
  const auto provide = [&](ValueId id) {
    const Value& value = graph.value(id);
    if (given.contains(value.name) || gradient_sum_in(graph, id) != nullptr) return;
    std::vector<std::int64_t> dims = dims_of(graph, bindings, id);
    if (is_split_input(graph, id)) dims[0] *= runs_in_step(graph);
    try {
      Tensor tensor = is_floating(value.type.element)
                          ? random_reals(value.type.element, std::move(dims), random)
                          : random_integers(value.type.element, std::move(dims),
                                            bound_of(graph, bindings, id), random);
      if (pads) tensor = with_padding(graph, bindings, id, std::move(tensor));
      given.emplace(value.name, std::move(tensor));
    } catch (const Error& error) {
      throw error.within(describe(value));
    }
  };
  for (const ValueId id : graph.data().inputs) provide(id);
  for (const Initializer& each : graph.data().initializers) {
    if (each.tensor.has_data() || given.contains(graph.value(each.value).name)) continue;
    if (const std::string* const file = each.tensor.missing_file()) {
      fail_input(describe(graph.value(each.value)),
                 "its data file '" + printable(*file) + "' is missing",
                 "put the file beside the model");
    }
    provide(each.value);
  }
  return given;
}

}  // namespace stashscope
