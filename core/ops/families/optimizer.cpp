// Optimizers, which compute new weights from gradients.

#include <algorithm>

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

/// (rate, step, weights, gradient, moment 1, moment 2, ...) -> step, moment 1, moment 2, weights,
/// [gradient], [weights in mixed precision]
void infer_adam(ShapeContext& context) {
  for (const std::size_t like_weights : {3U, 4U, 5U}) context.require_same_shape(2, like_weights);
  constexpr std::size_t source[] = {1, 4, 5, 2, 3, 6};
  for (std::size_t i = 0; i < std::min(context.output_count(), std::size(source)); ++i) {
    if (context.has_output(i)) context.set_like_input(i, source[i]);
  }
}

/// (rate, step, N weights, N gradients, N states of each kind) -> N weights, N states of each kind
void infer_onnx_optimizer(ShapeContext& context) {
  const std::size_t states = context.node().op_type == "Adam" ? 2 : 1;
  const std::size_t count = context.output_count() / (states + 1);
  if (count == 0 || context.output_count() != count * (states + 1) ||
      context.input_count() != 2 + count * (states + 2)) {
    context.fail("has " + std::to_string(context.input_count()) + " inputs and " +
                 std::to_string(context.output_count()) +
                 " outputs; each weight needs a gradient and " + std::to_string(states) +
                 (states == 1 ? " state" : " states") +
                 " as inputs, and one output for itself and one for each state");
  }
  for (std::size_t i = 2 + count; i < context.input_count(); ++i) {
    const std::size_t weights = 2 + (i - 2) % count;
    context.require_same_element(weights, i);
    context.require_same_shape(weights, i);
  }
  for (std::size_t i = 0; i < context.output_count(); ++i) {
    const std::size_t kind = count == 0 ? 0 : i / count;
    const std::size_t skipped = kind == 0 ? 0 : count;  // gradients lie between weights and states
    if (context.has_output(i)) context.set_like_input(i, 2 + skipped + i);
  }
}

/// The number of elements of all weights. Operands: (rate, step, N weights, ...).
double weight_elements(const CostContext& cost) {
  const std::string& type = cost.node.op_type;
  const std::size_t count = type == "AdamOptimizer" ? 1
                            : type == "Adam"        ? cost.outputs.size() / 3
                                                    : cost.outputs.size() / 2;
  double elements = 0;
  for (std::size_t i = 0; i < count; ++i) elements += cost.input_elements(2 + i);
  return elements;
}

/// Adam takes 12 operations per weight: 3 for each moment, then the corrections of the moments, the
/// root, the update and the decay.
template <int per_weight>
double optimizer_flops(const CostContext& cost) {
  return per_weight * weight_elements(cost);
}

constexpr const char* adam_operands =
    "rate:float[0..1] step:int64[0..1] weights:float gradient:float moment_1:float moment_2:float "
    "mixed_precision_weights?:float16|bfloat16|bool loss_scale?:float[0..1] "
    "global_gradient_norm?:float[0..1] update?:bool[0..1] -> "
    "new_step? new_moment_1? new_moment_2? new_weights? new_gradient? new_mixed_precision_weights?";

Op optimizer(std::string domain, std::string type, void (*infer)(ShapeContext&)) {
  const bool is_adam = type.starts_with("Adam");
  return {.domain = std::move(domain),
          .type = std::move(type),
          .versions = {1},
          .operands = infer == infer_adam
                          ? adam_operands
                          : "R:float[0..1] T:int64[0..1] weights_gradients_states+:float -> "
                            "new_weights_states+",
          .infer = infer,
          .stops_gradients = true,
          .flops = is_adam ? optimizer_flops<12> : optimizer_flops<5>};
}

}  // namespace

void add_optimizer_ops(OpRegistry& registry) {
  registry.add(optimizer(std::string(microsoft_domain), "AdamOptimizer", infer_adam));
  for (const char* type : {"Adam", "Adagrad", "Momentum"}) {
    registry.add(optimizer("ai.onnx.preview.training", type, infer_onnx_optimizer));
  }
}

}  // namespace stashscope
