// Softmax and its relatives.

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

/// Checks `axis`. Since opset 13, the softmax runs along this axis; in earlier opsets, it runs
/// along all axes from this axis on.
void infer_along_axis(ShapeContext& context, std::int64_t otherwise) {
  context.set_like_input(0, 0);
  const std::int64_t axis = context.attributes().integer("axis", otherwise);
  if (context.rank(0) > 0 && axis != context.rank(0)) context.axis(axis, context.rank(0));
}

void infer_softmax(ShapeContext& context) {
  infer_along_axis(context, context.version() >= 13 ? -1 : 1);
}

/// (gradient, output of the forward pass)
template <std::int64_t default_axis>
void infer_softmax_grad(ShapeContext& context) {
  context.require_same_shape(0, 1);
  infer_along_axis(context, default_axis);
}

/// (data, bias): the softmax of data + bias, where the bias broadcasts to the data.
void infer_bias_softmax(ShapeContext& context) {
  context.require_broadcastable(1, context.shape(0));
  infer_along_axis(context, 1);
}

/// The outputs are the result, a mask, and the softmax before dropout, all with the data's dims.
void infer_bias_softmax_dropout(ShapeContext& context) {
  infer_bias_softmax(context);
  context.set(1, ElementType::boolean, context.shape(0));
  if (context.has_output(2)) context.set_like_input(2, 0);
}

/// Before opset 13 the axes from `axis` on form one row; the gradient operator for those opsets has
/// no version in its name.
template <const char* newer, const char* older>
void softmax_gradient(GradientContext& g) {
  const bool single_axis = g.opset() >= 13;
  const std::int64_t axis = g.attributes().integer("axis", single_axis ? -1 : 1);
  g.give(0, g.add_microsoft(single_axis ? newer : older, {g.gradient(), g.output()},
                            {{"axis", axis}}));
}

constexpr char softmax_grad_13[] = "SoftmaxGrad_13";
constexpr char softmax_grad[] = "SoftmaxGrad";
constexpr char log_softmax_grad_13[] = "LogSoftmaxGrad_13";
constexpr char log_softmax_grad[] = "LogSoftmaxGrad";

/// In every opset, all axes from `axis` on form one row.
void bias_softmax_gradient(GradientContext& g) {
  const ValueId dx = g.add_microsoft(softmax_grad, {g.gradient(), g.output()},
                                     {{"axis", g.attributes().integer("axis", 1)}});
  if (g.wants(0)) g.give(0, dx);
  if (g.wants(1)) g.give_broadcast(1, dx);
}

}  // namespace

void add_softmax_ops(OpRegistry& registry) {
  const Op softmax = {.type = "Softmax",
                      .versions = {1, 11, 13},
                      .operands = "input:float -> output",
                      .infer = infer_softmax,
                      .gradient = softmax_gradient<softmax_grad_13, softmax_grad>,
                      .flops = flops_per_element<8>,  // exp: 4; max, minus, sum, division: 1 each
                      .in_place = {{0, 0}},
                      .reference_in_place = true,
                      .recompute = RecomputeLevel::advanced,
                      .recompute_rules = {{{1, 11, 13}, {}}}};
  registry.add(softmax);
  Op log_softmax = softmax;
  log_softmax.type = "LogSoftmax";
  log_softmax.reference_in_place = false;
  log_softmax.gradient = softmax_gradient<log_softmax_grad_13, log_softmax_grad>;
  log_softmax.recompute = RecomputeLevel::never;
  log_softmax.recompute_rules.clear();
  registry.add(std::move(log_softmax));
  registry.add({.type = "Hardmax",
                .versions = {1, 11, 13},
                .operands = "input:float -> output",
                .infer = infer_softmax,
                .stops_gradients = true});
  registry.add(microsoft({.type = "BiasSoftmax",
                          .operands = "data:float[1..] bias=data -> output",
                          .infer = infer_bias_softmax,
                          .gradient = bias_softmax_gradient,
                          .flops = flops_per_element<9>,
                          .in_place = {{0, 0}},
                          .recompute = RecomputeLevel::advanced,
                          .recompute_rules = {{{1}, {}}}}));
  registry.add(microsoft({.type = "BiasSoftmaxDropout",
                          .operands = "data:float[1..] bias=data ratio?:float[0..1] -> "
                                      "output mask? softmax?",
                          .infer = infer_bias_softmax_dropout,
                          .flops = flops_per_element<11>,
                          .recompute = RecomputeLevel::advanced,
                          .recompute_rules = {{{1}, {2}}},
                          .random = true}));
  for (const char* type : {softmax_grad_13, softmax_grad, log_softmax_grad_13, log_softmax_grad}) {
    const bool of_single_axis = std::string_view(type).ends_with("_13");
    const bool of_logarithm = std::string_view(type).starts_with("Log");
    Op op = microsoft({.type = type,
                       .operands = "dY:float Y=dY -> dX",
                       .infer = of_single_axis ? infer_softmax_grad<-1> : infer_softmax_grad<1>,
                       .flops = of_logarithm ? flops_per_element<7> : flops_per_element<4>,
                       .in_place = {{0, 0}}});
    registry.add(op);
    op.domain.clear();  // older training graphs have these operators in the default domain
    registry.add(std::move(op));
  }
}

}  // namespace stashscope
