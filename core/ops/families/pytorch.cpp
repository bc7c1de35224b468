// Operators of PyTorch: operators of its library ATen that its exporter leaves in training graphs,
// and operators of captured steps. A captured step itself records what the analysis needs to know
// about its operators. (docs/captured_step.md)

#include <algorithm>
#include <string_view>

#include "core/graph/captured_step.h"
#include "core/ops/attention/aten_functions.h"
#include "core/ops/attention/attention_shapes.h"
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

/// Requires the axes before the heads to broadcast to `joint`. Any numbers of heads pass; the
/// what-if `attention` says which numbers it can rewrite.
void require_joint_axes(const ShapeContext& context, const Shape& own, const Shape& joint) {
  constexpr std::size_t before_heads = 4;  // counted from the end
  for (std::size_t behind = before_heads; behind <= own.size(); ++behind) {
    const Expr& axis = own[own.size() - behind];
    if (axis.is(1)) continue;
    context.require_dim(joint[joint.size() - behind], axis, "the leading axes of its operands");
  }
}

/// (queries [..., rows, size], keys, values [..., keys, value size], ...) -> result, logarithms of
/// the sums, ... The leading axes broadcast.
void infer_scaled_dot_product(ShapeContext& context, const AtenAttentionFunction& function) {
  context.set_element(0, context.element(0));
  if (context.rank(0) < 2) context.fail("its queries need rows and a size");
  context.require_dim(context.dim(0, -1), context.dim(1, -1), "the sizes of its queries and keys");
  context.require_dim(context.dim(1, -2), context.dim(2, -2), "the numbers of keys and values");
  const AttentionShapes shapes =
      attention_shapes({}, context.shape(0), context.shape(1), context.shape(2));
  const Shape result = shapes.result();
  require_joint_axes(context, shapes.key, result);
  require_joint_axes(context, shapes.value, result);
  context.set_shape(0, result);
  if (!context.has_output(1) || function.sums == AtenSums::unknown) return;
  context.set(1, ElementType::float32,
              shapes.log_sum_exp(function.sums == AtenSums::of_padded_rows));
}

void infer_aten(ShapeContext& context) {
  if (const auto* const function = aten_attention_function(context.attributes())) {
    return infer_scaled_dot_product(context, *function);
  }
  const std::string name = context.attributes().text("operator", "");
  if (name == "embedding") return infer_embedding(context);
  if (name == "embedding_backward") return infer_embedding_backward(context);
  throw ShapeUnknown();
}

bool is_embedding_backward(const CostContext& cost) {
  return cost.node.attributes.text("operator", "") == "embedding_backward";
}

/// Two products and the softmax.
double scaled_dot_product_flops(const CostContext& cost) {
  const auto& queries = cost.input_dims(0);
  const auto& keys = cost.input_dims(1);
  if (queries.size() < 2 || keys.size() < 2 || queries.back() == 0) return 0;
  const auto rows = cost.input_elements(0) / static_cast<double>(queries.back());
  return static_cast<double>(keys[keys.size() - 2]) *
         (2 * cost.input_elements(0) + 2 * cost.output_elements() + softmax_flops * rows);
}

double aten_flops(const CostContext& cost) {
  if (aten_attention_function(cost.node.attributes) != nullptr) {
    return scaled_dot_product_flops(cost);
  }
  return is_embedding_backward(cost) ? cost.input_elements(0) : 0;
}

/// `embedding` reads and writes rows. `embedding_backward` writes zeros everywhere, then reads and
/// adds each gradient.
double aten_bytes(const CostContext& cost) {
  if (aten_attention_function(cost.node.attributes) != nullptr) {
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
