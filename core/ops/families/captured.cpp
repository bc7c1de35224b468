// Operators of captured steps: PyTorch's own, as it dispatched them. The capture recorded what the
// analysis needs of them. (docs/captured_step.md)

#include <algorithm>

#include "core/graph/captured_step.h"
#include "core/ops/families/families.h"

namespace stashscope {

namespace {

bool has_tag(const Node& node, std::string_view tag) {
  return std::ranges::count(node.attributes.texts("tags"), tag) > 0;
}

/// The first input in the same storage. Views and operators that change an input in place have one.
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

/// The operations that PyTorch's formulas count, or else one for each element of the results.
double captured_flops(const CostContext& cost) {
  if (cost.node.attributes.has("flops")) {
    return static_cast<double>(cost.node.attributes.require_integer("flops"));
  }
  if (has_tag(cost.node, "view")) return 0;
  double elements = 0;
  for (std::size_t i = 0; i < cost.outputs.size(); ++i) elements += cost.output_elements(i);
  return elements;
}

double captured_bytes(const CostContext& cost) {
  if (has_tag(cost.node, "view")) return 0;
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
          .stops_gradients = true,
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

void add_captured_ops(OpRegistry& registry) {
  registry.add(captured_op("pytorch", any_type, ComputeUnit::vector));
  for (const char* const product : products) {
    registry.add(captured_op("pytorch.aten", product, ComputeUnit::matrix));
  }
}

}  // namespace stashscope
