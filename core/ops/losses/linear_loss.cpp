// The product of hidden states and a weight, and the cross-entropy of the resulting scores, as one
// operator. The operator computes the scores of some rows at a time, so that the scores of all rows
// are never in memory together. The gradient operator computes the scores again. (Liger Kernel,
// arXiv 2410.10989; Cut Cross-Entropy, arXiv 2411.09009)

#include <algorithm>
#include <cmath>

#include "core/ops/losses/ops.h"
#include "core/ops/rules/linear_loss_places.h"
#include "core/ops/rules/loss_rows.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

bool is_transposed(const Attributes& attributes) {
  return attributes.integer("transposed", 0) != 0;
}

/// Checks the operands that both operators have. Returns the dims of the hidden states without the
/// width.
Shape check_linear_loss(ShapeContext& context, const linear_loss_places::Inputs& at) {
  if (context.attributes().integer("rows", 0) < 0) context.fail("its attribute 'rows' is negative");
  const std::int64_t class_axis = is_transposed(context.attributes()) ? 0 : 1;
  const Expr& classes = context.dim(at.weight, class_axis);
  context.same_dim(context.dim(at.hidden, -1), context.dim(at.weight, 1 - class_axis),
                   "the inner dimensions of its product");
  context.require_length(at.bias, classes, "the size of its bias and the number of classes");
  context.require_length(at.class_weights, classes,
                         "the number of class weights and the number of classes");
  Shape rows = context.shape(at.hidden);
  rows.pop_back();
  if (context.rank(at.labels) != std::ssize(rows)) {
    context.fail("the hidden states have shape " + context.text(context.shape(at.hidden)) +
                 ", but the labels have shape " + context.text(context.shape(at.labels)) +
                 "; labels need one axis fewer than hidden states");
  }
  for (std::size_t axis = 0; axis < rows.size(); ++axis) {
    context.same_dim(rows[axis], context.dim(at.labels, static_cast<std::int64_t>(axis)),
                     "the axis sizes of hidden states and labels");
  }
  return rows;
}

/// The type of log_sum_exp, in which the scores are computed.
ElementType computed_type(ElementType hidden) {
  return hidden == ElementType::float64 ? hidden : ElementType::float32;
}

/// hidden [..., width], weight [width, classes] or, with `transposed`, [classes, width], labels
/// [...], optional bias [classes], optional class weights [classes] -> loss, log_sum_exp [...].
/// The scores are scale * (product of hidden and weight) + bias.
void infer_linear_loss(ShapeContext& context) {
  const Attributes& attributes = context.attributes();
  context.set_element(0, element_attribute(attributes, "output_type", context.element(0)));
  context.set_element(1, computed_type(context.element(0)));
  const Shape rows = check_linear_loss(context, linear_loss_places::forward);
  context.set_shape(0, attributes.text("reduction", "mean") == "none" ? rows : Shape());
  if (context.has_output(1)) context.set_shape(1, rows);
}

/// (d loss, hidden, weight, labels, log_sum_exp, optional bias, optional class weights) ->
/// gradients of hidden, weight and bias
void infer_linear_loss_grad(ShapeContext& context) {
  const Shape rows = check_linear_loss(context, linear_loss_places::backward);
  context.require_shape(linear_loss_places::log_sum_exp, rows);
  const bool reduces = context.attributes().text("reduction", "mean") != "none";
  if (context.has_shape(0) && context.rank(0) > 0) context.require_shape(0, rows);
  if (!reduces && context.has_shape(0) && context.rank(0) != std::ssize(rows)) {
    context.fail("needs a gradient for each label");
  }
  constexpr std::size_t of_output[] = {linear_loss_places::backward.hidden,
                                       linear_loss_places::backward.weight,
                                       linear_loss_places::backward.bias};
  for (std::size_t i = 0; i < context.output_count(); ++i) {
    if (!context.has_output(i)) continue;
    if (!context.has_input(of_output[i])) {
      context.fail("has an output for the gradient of a missing operand");
    }
    context.set_like_input(i, of_output[i]);
  }
}

/// The gradient operator computes the scores again, so that only the operands and one number per
/// row are stashed.
void linear_loss_gradient(GradientContext& g) {
  if (g.arrives(1)) fail_gradient("has no gradient rule for its output log_sum_exp");
  const TensorType each_row = {
      computed_type(g.type(g.input(0)).element), g.type(g.input(2)).shape, {}};
  std::vector<ValueId> inputs = {g.gradient(), g.input(0), g.input(1), g.input(2),
                                 g.saved_output(1, each_row)};
  for (const std::size_t optional :
       {linear_loss_places::forward.bias, linear_loss_places::forward.class_weights}) {
    inputs.push_back(g.has_input(optional) ? g.input(optional) : ValueId());
  }
  while (!inputs.back().valid()) inputs.pop_back();
  constexpr std::size_t operands[] = {linear_loss_places::forward.hidden,
                                      linear_loss_places::forward.weight,
                                      linear_loss_places::forward.bias};
  std::vector<bool> wanted;
  for (const std::size_t operand : operands) wanted.push_back(g.wants(operand));
  while (!wanted.empty() && !wanted.back()) wanted.pop_back();
  if (wanted.empty()) return;
  const std::vector<ValueId> gradients =
      g.add_microsoft("LinearCrossEntropyLossGrad", std::move(inputs), wanted, g.attributes());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) g.give(operands[i], gradients[i]);
  }
}

/// The sizes of the product, and how the rows are divided.
struct LinearLossSizes {
  double rows = 0;
  double width = 0;
  double classes = 0;
  double pieces = 0;
  double score_bytes = 0;  ///< bytes of all scores, of which only a piece exists at a time
};

LinearLossSizes sizes_of(const CostContext& cost, const linear_loss_places::Inputs& at) {
  const auto& weight = cost.input_dims(at.weight);
  if (weight.size() != 2) return {};
  const std::size_t class_axis = is_transposed(cost.node.attributes) ? 0 : 1;
  const std::int64_t classes = weight[class_axis];
  const std::int64_t width = weight[1 - class_axis];
  const double rows = cost.input_elements(at.labels);
  const double in_piece = static_cast<double>(loss_rows(
      cost.node.attributes.integer("rows", 0), static_cast<std::int64_t>(rows), width, classes));
  const bool is_double = cost.bytes_of_input(at.hidden) >= 8 * cost.input_elements(at.hidden);
  const double scores = rows * static_cast<double>(classes);
  return {rows, static_cast<double>(width), static_cast<double>(classes),
          std::ceil(rows / in_piece), (is_double ? 8 : 4) * scores};
}

bool has_operand(const CostContext& cost, std::size_t index) {
  return index < cost.node.inputs.size() && cost.node.inputs[index].valid();
}

/// The product, the bias, and per score as many operations as SoftmaxCrossEntropyLoss.
double linear_loss_flops(const CostContext& cost) {
  const LinearLossSizes sizes = sizes_of(cost, linear_loss_places::forward);
  const double others = has_operand(cost, linear_loss_places::forward.bias) ? 10 : 9;
  return sizes.rows * sizes.classes * (2 * sizes.width + others);
}

/// The product again, and one product for the gradient of the hidden states and one for that of the
/// weight. Each score takes as many operations as in SoftmaxCrossEntropyLossGrad, one more to add a
/// bias, and one more to sum the gradient of the bias.
double linear_loss_grad_flops(const CostContext& cost) {
  const LinearLossSizes sizes = sizes_of(cost, linear_loss_places::backward);
  const double products =
      1 + (cost.output_elements(0) > 0 ? 1 : 0) + (cost.output_elements(1) > 0 ? 1 : 0);
  const double others = (has_operand(cost, linear_loss_places::backward.bias) ? 7 : 6) +
                        (cost.output_elements(2) > 0 ? 1 : 0);
  return sizes.rows * sizes.classes * (2 * products * sizes.width + others);
}

double bytes_of_inputs(const CostContext& cost) {
  double bytes = 0;
  for (std::size_t i = 0; i < cost.node.inputs.size(); ++i) bytes += cost.bytes_of_input(i);
  return bytes;
}

/// Scores are written by the product and read by the loss. The weight is read for every piece.
double linear_loss_bytes(const CostContext& cost) {
  const LinearLossSizes sizes = sizes_of(cost, linear_loss_places::forward);
  const double again =
      std::max(0.0, sizes.pieces - 1) * cost.bytes_of_input(linear_loss_places::forward.weight);
  return bytes_of_inputs(cost) + again + 2 * sizes.score_bytes + cost.bytes_of_output(0) +
         cost.bytes_of_output(1);
}

/// The scores are written, then read and overwritten by their gradients, and read by each product
/// with these gradients. Every piece reads the weight, and reads it again for the gradient of the
/// hidden states. Every piece after the first reads and writes the sum that becomes the gradient of
/// the weight.
double linear_loss_grad_bytes(const CostContext& cost) {
  const LinearLossSizes sizes = sizes_of(cost, linear_loss_places::backward);
  const double hidden = cost.output_elements(0) > 0 ? 1 : 0;
  const double weight = cost.output_elements(1) > 0 ? 1 : 0;
  const double again = std::max(0.0, sizes.pieces - 1);
  const double table = cost.bytes_of_input(linear_loss_places::backward.weight);
  return bytes_of_inputs(cost) + (again + hidden * sizes.pieces) * table +
         (3 + hidden + weight) * sizes.score_bytes + cost.bytes_of_output(0) +
         (1 + 2 * again) * cost.bytes_of_output(1) + cost.bytes_of_output(2);
}

}  // namespace

void add_linear_loss_ops(OpRegistry& registry) {
  registry.add(
      microsoft({.type = "LinearCrossEntropyLoss",
                 .operands = "hidden:float[2..] weight=hidden[2] labels:index bias?:float[1] "
                             "class_weights?:float[1] -> loss log_sum_exp?",
                 .infer = infer_linear_loss,
                 .gradient = linear_loss_gradient,
                 .flops = linear_loss_flops,
                 .bytes = linear_loss_bytes,
                 .unit = ComputeUnit::matrix}));
  registry.add(microsoft(
      {.type = "LinearCrossEntropyLossGrad",
       .operands = "dY:float hidden:float[2..] weight=hidden[2] labels:index log_sum_exp:float "
                   "bias?:float[1] class_weights?:float[1] -> dHidden? dWeight? dBias?",
       .infer = infer_linear_loss_grad,
       .flops = linear_loss_grad_flops,
       .bytes = linear_loss_grad_bytes,
       .unit = ComputeUnit::matrix}));
}

}  // namespace stashscope
