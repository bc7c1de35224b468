// Operators of PyTorch: operators of its library ATen that its exporter leaves in training graphs,
// and operators of captured steps. A captured step itself records what the analysis needs to know
// about its operators. (docs/captured_step.md)

#include <algorithm>
#include <string_view>

#include "core/graph/captured_step.h"
#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

void require_embedding(const ShapeContext& context) {
  const ElementType element = context.element(0);
  if (element != ElementType::undefined &&
      (!is_floating(element) || bits_per_element(element) < 16)) {
    context.fail("embeds floating-point elements of at least 16 bits only, not " +
                 std::string(name_of(element)));
  }
  const ElementType indices = context.element(1);
  if (indices != ElementType::undefined && !is_integer(indices)) {
    context.fail("its indices must be integers, but have the type " +
                 std::string(name_of(indices)));
  }
}

/// (weight, indices, ...): rows of the weight.
void infer_embedding(ShapeContext& context) {
  require_embedding(context);
  if (context.rank(0) != 2) context.fail("the weight of an embedding needs 2 axes");
  Shape shape = context.shape(1);
  shape.push_back(context.dim(0, 1));
  context.set(0, context.element(0), std::move(shape));
}

/// (gradient, indices, number of rows, ...): gradient of the weight.
void infer_embedding_backward(ShapeContext& context) {
  const Contents* const rows = context.contents(2);
  if (rows == nullptr || rows->size() != 1) throw ShapeUnknown();
  require_embedding(context);
  if (context.rank(0) != context.rank(1) + 1)
    context.fail("its gradient needs one axis more than its indices");
  for (std::int64_t axis = 0; axis < context.rank(1); ++axis) {
    context.require_dim(context.dim(0, axis), context.dim(1, axis),
                        "the sizes of its gradient and its indices");
  }
  context.set(0, context.element(0), {(*rows)[0], context.dim(0, -1)});
}

constexpr std::string_view efficient_attention = "_scaled_dot_product_efficient_attention";
constexpr std::string_view flash_attention = "_scaled_dot_product_flash_attention";

bool is_attention(std::string_view name) {
  return name == "scaled_dot_product_attention" || name == efficient_attention ||
         name == flash_attention || name == "_scaled_dot_product_cudnn_attention";
}

/// A leading axis of the result. The number of query heads may be a multiple of the others.
Expr joint_leading_axis(const ShapeContext& context, const Expr& queries, const Expr& other,
                        bool counts_heads) {
  if (queries.is(1)) return other;
  if (other.is(1) || counts_heads) return queries;
  context.require_dim(queries, other, "the leading axes of its operands");
  return queries.integer() || !other.integer() ? queries : other;
}

/// The shape of the result before its last axis is known: keys and values broadcast with the
/// queries.
Shape shape_with_leading_axes(ShapeContext& context) {
  Shape shape = context.shape(0);
  for (const std::size_t input : {1U, 2U}) {
    const Shape& other = context.shape(input);
    const std::size_t missing = other.size() > shape.size() ? other.size() - shape.size() : 0;
    shape.insert(shape.begin(), missing, Expr(1));
    for (std::size_t behind = 3; behind <= other.size(); ++behind) {
      Expr& axis = shape[shape.size() - behind];
      axis = joint_leading_axis(context, axis, other[other.size() - behind], behind == 3);
    }
  }
  return shape;
}

/// (queries [..., rows, size], keys, values [..., keys, value size], ...) -> result, logarithms of
/// the sums, ... The memory-efficient kernel pads the rows of the sums to a multiple of 32.
void infer_scaled_dot_product(ShapeContext& context, std::string_view name) {
  context.set_element(0, context.element(0));
  if (context.rank(0) < 2) context.fail("its queries need rows and a size");
  Shape shape = shape_with_leading_axes(context);
  context.require_dim(shape.back(), context.dim(1, -1), "the sizes of its queries and keys");
  context.require_dim(context.dim(1, -2), context.dim(2, -2), "the numbers of keys and values");
  const Expr rows = shape[shape.size() - 2];
  shape.back() = context.dim(2, -1);
  context.set_shape(0, shape);
  if (!context.has_output(1)) return;
  shape.pop_back();
  if (name == efficient_attention) shape.back() = ceil_divide(rows, 32) * Expr(32);
  if (name == efficient_attention || name == flash_attention) {
    context.set(1, ElementType::float32, std::move(shape));
  }
}

void infer_aten(ShapeContext& context) {
  const std::string name = context.attributes().text("operator", "");
  if (is_attention(name)) return infer_scaled_dot_product(context, name);
  if (name == "embedding") return infer_embedding(context);
  if (name == "embedding_backward") return infer_embedding_backward(context);
  throw ShapeUnknown();
}

bool is_embedding_backward(const CostContext& cost) {
  return cost.node.attributes.text("operator", "") == "embedding_backward";
}

/// Two products, and 8 operations per score for the softmax.
double scaled_dot_product_flops(const CostContext& cost) {
  const auto& queries = cost.input_dims(0);
  const auto& keys = cost.input_dims(1);
  if (queries.size() < 2 || keys.size() < 2 || queries.back() == 0) return 0;
  const auto rows = cost.input_elements(0) / static_cast<double>(queries.back());
  return static_cast<double>(keys[keys.size() - 2]) *
         (2 * cost.input_elements(0) + 2 * cost.output_elements() + 8 * rows);
}

double aten_flops(const CostContext& cost) {
  if (is_attention(cost.node.attributes.text("operator", ""))) {
    return scaled_dot_product_flops(cost);
  }
  return is_embedding_backward(cost) ? cost.input_elements(0) : 0;
}

/// `embedding` reads and writes rows. `embedding_backward` writes zeros everywhere, then reads and
/// adds each gradient.
double aten_bytes(const CostContext& cost) {
  if (is_attention(cost.node.attributes.text("operator", ""))) {
    return cost.bytes_of_input(0) + cost.bytes_of_input(1) + cost.bytes_of_input(2) +
           cost.bytes_of_input(3) + cost.bytes_of_output(0) + cost.bytes_of_output(1);
  }
  if (!is_embedding_backward(cost)) return 2 * cost.bytes_of_output() + cost.bytes_of_input(1);
  return cost.bytes_of_output() + 3 * cost.bytes_of_input(0) + cost.bytes_of_input(1);
}

bool has_tag(const Node& node, std::string_view tag) {
  return std::ranges::count(node.attributes.texts("tags"), tag) > 0;
}

/// The first input in the same storage as the output. Views and operators that change an input in
/// place have such an input.
std::optional<std::size_t> input_in_storage(const Graph& graph, const Node& node,
                                            std::size_t output) {
  const CapturedStep* const captured = graph.data().captured.get();
  if (captured == nullptr) return std::nullopt;
  const StorageId storage = captured->storage_of[node.outputs[output]];
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (captured->storage_of[node.inputs[i]] == storage) return i;
  }
  return std::nullopt;
}

/// Operators without a kernel that PyTorch does not tag as `view`: operators that only allocate,
/// and `_unsafe_view`, which makes a view.
constexpr std::string_view without_kernel[] = {"empty",          "empty_like", "empty_strided",
                                               "empty_permuted", "new_empty",  "new_empty_strided",
                                               "_unsafe_view"};

/// Whether the node launches no kernel. A node that wraps a number into a tensor launches none,
/// because the kernel that reads the tensor receives the number itself.
bool runs_no_kernel(const CostContext& cost) {
  if (has_tag(cost.node, "view")) return true;
  const bool is_number = cost.node.domain == "pytorch.python" && cost.outputs.size() == 1 &&
                         cost.output_elements(0) <= 1;
  return is_number || std::ranges::count(without_kernel, cost.node.op_type) > 0;
}

/// The operations that PyTorch's formula counts. Without a formula, 0 for a node without a kernel,
/// else one for each element of the results.
double captured_flops(const CostContext& cost) {
  if (cost.counted_flops) return *cost.counted_flops;
  if (runs_no_kernel(cost)) return 0;
  double elements = 0;
  for (std::size_t i = 0; i < cost.outputs.size(); ++i) elements += cost.output_elements(i);
  return elements;
}

double captured_bytes(const CostContext& cost) {
  if (runs_no_kernel(cost)) return 0;
  double bytes = 0;
  for (std::size_t i = 0; i < cost.inputs.size(); ++i) bytes += cost.bytes_of_input(i);
  for (std::size_t i = 0; i < cost.outputs.size(); ++i) bytes += cost.bytes_of_output(i);
  return bytes;
}

Op captured_op(std::string domain, std::string type, ComputeUnit unit) {
  return {.domain = std::move(domain),
          .type = std::move(type),
          .versions = {1},
          .operands = "operands*?:value -> results*?",
          .flops = captured_flops,
          .bytes = captured_bytes,
          .unit = unit,
          .alias = input_in_storage,
          .alias_is_view = false};
}

/// Operators that run on a device's matrix units.
constexpr const char* products[] = {
    "mm",
    "addmm",
    "addmm_",
    "bmm",
    "baddbmm",
    "baddbmm_",
    "_scaled_mm",
    "convolution",
    "_convolution",
    "convolution_backward",
    "mkldnn_rnn_layer",
    "mkldnn_rnn_layer_backward",
    "_scaled_dot_product_flash_attention",
    "_scaled_dot_product_flash_attention_backward",
    "_scaled_dot_product_flash_attention_for_cpu",
    "_scaled_dot_product_flash_attention_for_cpu_backward",
    "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_efficient_attention_backward",
    "_scaled_dot_product_cudnn_attention",
    "_scaled_dot_product_cudnn_attention_backward",
    "_flash_attention_forward",
    "_flash_attention_backward",
    "_efficient_attention_forward",
    "_efficient_attention_backward",
};

}  // namespace

void add_pytorch_ops(OpRegistry& registry) {
  registry.add({.domain = "org.pytorch.aten",
                .type = "ATen",
                .versions = {1},
                .operands = "operands*?:value -> results*",
                .infer = infer_aten,
                .flops = aten_flops,
                .bytes = aten_bytes,
                .looks_up_rows = [](const Graph&, const Node& node) {
                  return node.attributes.text("operator", "") == "embedding";
                }});
  registry.add_captured(captured_op("pytorch", any_type, ComputeUnit::vector));
  Op embedding = captured_op("pytorch.aten", "embedding", ComputeUnit::vector);
  embedding.looks_up_rows = [](const Graph&, const Node&) { return true; };
  registry.add_captured(std::move(embedding));
  for (const char* const product : products) {
    registry.add_captured(captured_op("pytorch.aten", product, ComputeUnit::matrix));
  }
}

}  // namespace stashscope
