// Dropout and its fused and bit-packed forms.

#include "core/ops/families/dropout.h"

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

/// The shape of a mask with one bit per element, packed into 32-bit words.
Shape bitmask_shape(const Shape& data) {
  Expr count = 1;
  for (const Expr& dim : data) count = count * dim;
  return {ceil_divide(count, 32)};
}

template <std::size_t mask_output, bool bitmask>
void infer_dropout(ShapeContext& context) {
  context.set_like_input(0, 0);
  if (context.node().op_type.ends_with("BiasDropout")) {
    for (const std::size_t added : {1U, 2U}) context.require_broadcastable(added, context.shape(0));
  }
  if (!context.has_output(mask_output)) return;
  if (bitmask) {
    context.set(mask_output, ElementType::uint32, bitmask_shape(context.shape(0)));
  } else {
    const bool boolean = context.version() >= 10 || !context.node().domain.empty();
    context.set(mask_output, boolean ? ElementType::boolean : context.element(0), context.shape(0));
  }
}

/// (gradient, mask, ...) -> gradient
template <bool bitmask>
void infer_dropout_grad(ShapeContext& context) {
  if (bitmask) {
    context.require_length(1, bitmask_shape(context.shape(0))[0],
                           "the length of the mask and the length that the gradient needs");
  } else {
    context.require_same_shape(0, 1);
  }
  infer_like_first_input(context);
}

std::optional<std::size_t> alias_in_evaluation(const Graph& graph, const Node& node,
                                               std::size_t output) {
  const bool shares = output == 0 && !dropout_trains(graph, node);
  return shares ? std::optional<std::size_t>(0) : std::nullopt;
}

std::vector<ValueId> gradient_inputs(GradientContext& g, ValueId mask, std::size_t ratio) {
  std::vector<ValueId> inputs = {g.gradient(), mask};
  for (std::size_t i = ratio; i < ratio + 2; ++i) {
    inputs.push_back(g.has_input(i) ? g.input(i) : ValueId());
  }
  while (!inputs.back().valid()) inputs.pop_back();
  return inputs;
}

/// The gradient of a Dropout before version 7; versions 7 and 10 drop nothing. The mask has the
/// type of the data, and the ratio is an attribute.
ValueId old_dropout_gradient(GradientContext& g) {
  const ValueId mask =
      g.saved_output(1, {g.type(g.output()).element, g.type(g.output()).shape, {}});
  const double kept = 1 - double{g.attributes().real("ratio", 0.5F)};
  // With a ratio of 1, the mask is 0 everywhere, and 0 times infinity would be NaN.
  const ValueId scale = g.scalar_like(g.output(), kept > 0 ? 1 / kept : 0);
  return g.add("Mul", {g.add("Mul", {g.gradient(), mask}), scale});
}

void dropout_gradient(GradientContext& g) {
  const bool trains = g.opset() >= 12 ? g.integers(2) == std::vector<std::int64_t>{1} ||
                                            (g.has_input(2) && !g.contents(2))
                                      : old_dropout_trains(g.attributes(), g.opset());
  if (!trains) return g.give(0, g.gradient());
  if (g.opset() < 12) return g.give(0, old_dropout_gradient(g));
  const ValueId mask = g.saved_output(1, {ElementType::boolean, g.type(g.output()).shape, {}});
  g.give(0, g.add_microsoft("DropoutGrad", gradient_inputs(g, mask, 1)));
}

void bitmask_dropout_gradient(GradientContext& g) {
  const ValueId mask =
      g.saved_output(1, {ElementType::uint32, bitmask_shape(g.shape(g.output())), {}});
  g.give(0, g.add_microsoft("BitmaskDropoutGrad", gradient_inputs(g, mask, 1)));
}

/// (data, bias, [residual], [ratio], [training mode]) -> output, mask
void bias_dropout_gradient(GradientContext& g) {
  const ValueId mask = g.saved_output(1, {ElementType::boolean, g.type(g.output()).shape, {}});
  if (g.wants(0) || g.wants(1)) {
    const ValueId dx = g.add_microsoft("DropoutGrad", gradient_inputs(g, mask, 3));
    if (g.wants(0)) g.give(0, dx);
    if (g.wants(1)) g.give_broadcast(1, dx);
  }
  if (g.wants(2)) g.give_broadcast(2, g.gradient());
}

constexpr const char* dropout_operands =
    "data:float ratio?:float[0..1] training_mode?:bool[0..1] -> output mask?";

Op fused(std::string type, void (*infer)(ShapeContext&), void (*gradient)(GradientContext&),
         std::vector<std::size_t> ignored) {
  const bool has_bias = type.ends_with("BiasDropout");
  return microsoft({.type = std::move(type),
                    .operands = has_bias ? "data:float bias=data residual?=data ratio?:float[0..1] "
                                           "training_mode?:bool[0..1] -> output mask?"
                                         : dropout_operands,
                    .infer = infer,
                    .gradient = gradient,
                    .flops = flops_per_element<2>,
                    .in_place = {{0, 0}},
                    .recompute = RecomputeLevel::basic,
                    .recompute_rules = {{{1}, std::move(ignored)}},
                    .random = true});
}

}  // namespace

bool old_dropout_trains(const Attributes& attributes, std::int64_t version) {
  return version < 7 && attributes.integer("is_test", 0) == 0 &&
         attributes.real("ratio", 0.5F) != 0;
}

bool dropout_trains(const Graph& graph, const Node& node) {
  if (node.op_type != "Dropout") return true;
  if (graph.opset("") < 12) return old_dropout_trains(node.attributes, graph.opset(""));
  if (node.inputs.size() < 3 || !node.inputs[2].valid()) return false;
  const auto& mode = graph.value(node.inputs[2]).contents;
  return !mode || mode->size() != 1 || !(*mode)[0].is(0);
}

std::size_t dropout_ratio_input(std::string_view op_type) {
  if (op_type == "BiasSoftmaxDropout") return 2;  // data, bias, ratio
  const bool has_residual = op_type.find("Bias") != std::string_view::npos;
  return has_residual ? 3 : 1;  // data, bias, residual, ratio; or data, ratio
}

void add_dropout_ops(OpRegistry& registry) {
  registry.add({.type = "Dropout",
                .versions = {1, 6, 7, 10, 12, 13, 22},
                .operands = {{1, "data:float -> output mask?"}, {12, dropout_operands}},
                .infer = infer_dropout<1, false>,
                .gradient = dropout_gradient,
                .flops = flops_per_element<2>,
                .alias = alias_in_evaluation,
                .in_place = {{0, 0}},
                .recompute = RecomputeLevel::basic,
                .recompute_rules = {{{12, 13}, {1, 2}}},
                .random = true});
  registry.add(fused("BitmaskDropout", infer_dropout<1, true>, bitmask_dropout_gradient, {1, 2}));
  registry.add(fused("BiasDropout", infer_dropout<1, false>, bias_dropout_gradient, {}));
  registry.add(fused("BitmaskBiasDropout", infer_dropout<1, true>, nullptr, {3, 4}));
  registry.add(microsoft({.type = "DropoutGrad",
                          .operands = "dY:float mask:bool ratio?:float[0..1] "
                                      "training_mode?:bool[0..1] -> dX",
                          .infer = infer_dropout_grad<false>,
                          .in_place = {{0, 0}}}));
  registry.add(microsoft({.type = "BitmaskDropoutGrad",
                          .operands = "dY:float mask:uint32[1] ratio?:float[0..1] "
                                      "training_mode?:bool[0..1] -> dX",
                          .infer = infer_dropout_grad<true>,
                          .in_place = {{0, 0}}}));
}

}  // namespace stashscope
