// Losses over class scores.

#include "core/ops/losses/ops.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

bool reduces(const Attributes& attributes) {
  return attributes.text("reduction", "mean") != "none";
}

/// Requires one label for each position of the scores. The scores have one axis more than the
/// labels, for the classes.
void require_labels(ShapeContext& context, std::size_t scores, std::size_t labels) {
  if (context.rank(labels) + 1 != context.rank(scores)) {
    context.fail("the scores have shape " + context.text(context.shape(scores)) +
                 ", but the labels have shape " + context.text(context.shape(labels)) +
                 "; labels need one axis fewer than scores");
  }
  for (std::int64_t axis = 0; axis < context.rank(labels); ++axis) {
    context.same_dim(context.dim(scores, axis == 0 ? 0 : axis + 1), context.dim(labels, axis),
                     "the axis sizes of scores and labels");
  }
}

/// scores [batch, classes, ...], labels [batch, ...], optional weights [classes].
/// Output 0 is the loss. Output 1 holds log probabilities of the classes, in the shape of the
/// scores.
void infer_cross_entropy(ShapeContext& context) {
  const ElementType element =
      element_attribute(context.attributes(), "output_type", context.element(0));
  context.set_element(0, element);
  context.set_element(1, element);
  require_labels(context, 0, 1);
  const Expr& classes = context.dim(0, context.rank(0) > 1 ? 1 : 0);
  context.require_length(2, classes, "the number of class weights and the number of classes");
  context.set_shape(0, reduces(context.attributes()) ? Shape() : context.shape(1));
  if (context.has_output(1)) context.set_shape(1, context.shape(0));
}

/// (d loss, log probabilities, labels, ...) -> d scores
void infer_cross_entropy_grad(ShapeContext& context) {
  const Expr& classes = context.dim(1, context.rank(1) > 1 ? 1 : 0);
  context.require_length(3, classes, "the number of class weights and the number of classes");
  require_labels(context, 1, 2);
  if (context.has_shape(0) && context.rank(0) > 0) {
    if (context.rank(0) != context.rank(2))
      context.fail("its gradient and its labels differ in rank");
    for (std::int64_t axis = 0; axis < context.rank(0); ++axis) {
      context.require_dim(context.dim(0, axis), context.dim(2, axis),
                          "the sizes of its gradient and its labels");
    }
  } else if (!reduces(context.attributes()) && context.rank(2) > 0) {
    context.fail("needs a gradient for each label");
  }
  context.set(0, element_attribute(context.attributes(), "output_type", context.element(1)),
              context.shape(1));
}

void cross_entropy_gradient(GradientContext& g) {
  const TensorType log_probabilities = g.type(g.input(0));
  std::vector<ValueId> inputs = {g.gradient(), g.saved_output(1, log_probabilities), g.input(1)};
  if (g.has_input(2)) inputs.push_back(g.input(2));
  g.give(0, g.add_microsoft("SoftmaxCrossEntropyLossGrad", std::move(inputs), g.attributes()));
}

/// SoftmaxCrossEntropyLossInternal of ONNX Runtime takes the label to ignore as input 3.
void internal_cross_entropy_gradient(GradientContext& g) {
  const TensorType log_probabilities = g.type(g.input(0));
  std::vector<ValueId> inputs = {g.gradient(), g.saved_output(1, log_probabilities), g.input(1)};
  for (const std::size_t optional : {2U, 3U}) {
    inputs.push_back(g.has_input(optional) ? g.input(optional) : ValueId());
  }
  while (!inputs.back().valid()) inputs.pop_back();
  g.give(0,
         g.add_microsoft("SoftmaxCrossEntropyLossInternalGrad", std::move(inputs), g.attributes()));
}

/// Input 0 holds log probabilities [batch, classes, ...].
void nll_gradient(GradientContext& g) {
  std::vector<ValueId> inputs = {g.gradient(), g.input(0), g.input(1)};
  if (g.has_input(2)) inputs.push_back(g.input(2));
  g.give(0, g.add_microsoft("NegativeLogLikelihoodLossGrad", std::move(inputs), g.attributes()));
}

/// Each label selects one score.
double chosen_flops(const CostContext& cost) { return 2 * cost.input_elements(1); }

/// One score for each label is read.
double chosen_bytes(const CostContext& cost) {
  const double scores = cost.input_elements(0);
  const double share = scores == 0 ? 0 : cost.input_elements(1) / scores;
  return share * cost.bytes_of_input(0) + cost.bytes_of_input(1) + cost.bytes_of_input(2) +
         cost.bytes_of_output();
}

/// (d loss, log probabilities, labels) -> zeros, except for one element per label
double chosen_grad_flops(const CostContext& cost) { return 2 * cost.input_elements(2); }

double chosen_grad_bytes(const CostContext& cost) {
  return cost.bytes_of_input(0) + cost.bytes_of_input(2) + cost.bytes_of_output();
}

constexpr const char* loss_operands =
    "scores:float[1..] labels:index weights?=scores[1] -> loss log_prob?";
/// The operands of SoftmaxCrossEntropyLossInternal, in which the label to ignore is an input.
constexpr const char* internal_operands =
    "scores:float[1..] labels:index weights?=scores[1] ignore_index?:int64[0..1] -> loss log_prob?";
constexpr const char* grad_operands =
    "dY:float log_prob:float[1..] labels:index weights?:float[1] ignore_index?:int64[0..1] "
    "bias?:float -> dX";

Op loss(std::string type, void (*gradient)(GradientContext&)) {
  return {.type = std::move(type),
          .versions = {12, 13, 22},
          .operands = loss_operands,
          .infer = infer_cross_entropy,
          .gradient = gradient,
          .flops = flops_per_input_element<9>};  // 8 for LogSoftmax, 1 for the sum
}

}  // namespace

void add_loss_ops(OpRegistry& registry) {
  registry.add(loss("SoftmaxCrossEntropyLoss", cross_entropy_gradient));
  Op internal = loss("SoftmaxCrossEntropyLossInternal", internal_cross_entropy_gradient);
  internal.operands = internal_operands;
  registry.add(microsoft(std::move(internal)));
  Op chosen = loss("NegativeLogLikelihoodLoss", nll_gradient);
  chosen.operands = "scores:float[1..] labels:index weights?=scores[1] -> loss";
  chosen.flops = chosen_flops;
  chosen.bytes = chosen_bytes;
  registry.add(std::move(chosen));
  Op sparse = loss("SparseSoftmaxCrossEntropy", nullptr);
  sparse.versions = {9};
  sparse.operands = "scores:float[1..] labels:index weights?:float -> loss log_prob?";
  registry.add(std::move(sparse));
  // Operations per element: 4 for exp(log p), 1 for subtracting 1, 1 for multiplying by d loss.
  Op grad = microsoft({.type = "SoftmaxCrossEntropyLossGrad",
                       .operands = grad_operands,
                       .infer = infer_cross_entropy_grad,
                       .flops = flops_per_element<6>,
                       .in_place = {{1, 0}}});
  registry.add(grad);
  grad.type = "SoftmaxCrossEntropyLossInternalGrad";
  registry.add(grad);
  grad.type = "NegativeLogLikelihoodLossGrad";
  grad.flops = chosen_grad_flops;
  grad.bytes = chosen_grad_bytes;
  registry.add(std::move(grad));
  registry.add({.type = "SparseSoftmaxCrossEntropyGrad",
                .versions = {9},
                .operands = "dY:float log_prob:float[1..] labels:index weights?:float -> dX",
                .infer = infer_cross_entropy_grad,
                .flops = flops_per_element<6>,
                .in_place = {{1, 0}}});
}

}  // namespace stashscope
