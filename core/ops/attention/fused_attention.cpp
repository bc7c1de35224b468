// Attention in one node, whose scores are never whole in memory: FusedAttention and
// FusedAttentionGrad. (Dao et al., FlashAttention, arXiv 2205.14135 and 2307.08691)

#include <algorithm>

#include "core/ops/attention/attention_shapes.h"
#include "core/ops/attention/fused_places.h"
#include "core/ops/attention/ops.h"
#include "core/ops/rules/known_texts.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

/// Requires the leading axes of `from` to broadcast to `to`, the leading axes of the scores or of
/// the result. The last leading axis counts heads: the number in `from` may also divide that in
/// `to`.
void require_leading(ShapeContext& context, std::size_t input, const Shape& from, const Shape& to) {
  for (std::size_t i = 0; i + 2 < from.size(); ++i) {
    const auto given = from[from.size() - 3 - i].integer();
    const auto wanted = to[to.size() - 1 - i].integer();
    if (!given || !wanted || *given == *wanted || *given == 1) continue;
    const bool divides = i == 0 && *given > 0 && *wanted % *given == 0;
    if (divides) continue;
    context.fail("input " + std::to_string(input) + " has the leading axes " +
                 context.text(Shape(from.begin(), from.end() - 2)) +
                 ", which do not broadcast to " + context.text(to) +
                 "; each must be equal or 1, but the last one, the number of heads, may also "
                 "divide the wanted one");
  }
}

void check_shapes(ShapeContext& context, const AttentionShapes& shapes, std::size_t query) {
  context.require_dim(shapes.size(), shapes.key.back(), "the sizes of queries and keys");
  context.require_dim(shapes.keys(), shapes.value[shapes.value.size() - 2],
                      "the numbers of keys and values");
  const auto fits = [&](std::size_t input, const Shape& from, const Shape& to) {
    require_leading(context, input, from, to);
  };
  fits(query, shapes.query, shapes.score_leading);
  fits(query + 1, shapes.key, shapes.score_leading);
  fits(query + 2, shapes.value, shapes.result_leading);
}

/// The shape of the scores after a step that reshapes them; nothing if it is not known.
std::optional<Shape> reshaped(ShapeContext& context, const std::optional<Shape>& scores,
                              std::size_t input) {
  if (context.element(input) != ElementType::int64) {
    context.fail("input " + std::to_string(input) + ", the shape of a step Reshape, is not int64");
  }
  const Contents* const target = context.contents(input);
  if (!scores || target == nullptr) return std::nullopt;
  std::optional<Shape> shape = reshaped_scores(*scores, *target);
  const auto fail = [&](const std::string& why) {
    context.fail("input " + std::to_string(input) + " reshapes scores of shape " +
                 context.text(*scores) + " to " + context.text(*target) + ", which " + why);
  };
  if (!shape || shape->size() < 2) {
    fail("has fewer than two axes, more than one -1, or a 0 for an axis that the scores lack");
  }
  for (const std::size_t axis : {1U, 2U}) {
    context.require_dim((*shape)[shape->size() - axis], (*scores)[scores->size() - axis],
                        "the rows or keys before and after a step Reshape");
  }
  const auto before = element_count(TensorType{ElementType::float32, *scores, {}});
  const auto after = element_count(TensorType{ElementType::float32, *shape, {}});
  if (before && after && before->integer() && after->integer() && *before != *after) {
    fail("has another number of elements");
  }
  for (const Expr& dim : *shape) {
    if (dim.integer() && *dim.integer() < 0) fail("has a negative size");
  }
  return shape;
}

/// Requires the operands of a step to have the types that the step needs, and to broadcast to the
/// scores.
void check_step(ShapeContext& context, const ScoreStep& step, std::size_t first,
                const std::optional<Shape>& scores) {
  const std::size_t begin = first + step.first_operand;
  for (std::size_t input = begin; input < begin + step.operands; ++input) {
    const ElementType element = context.element(input);
    const bool is_condition = step.is_choice() && input == begin;
    if (is_condition != (element == ElementType::boolean) && element != ElementType::undefined) {
      context.fail("input " + std::to_string(input) + " has elements of type " +
                   std::string(name_of(element)) +
                   (is_condition ? ", but the condition of a step Where must be boolean"
                                 : ", but a step computes with numbers only"));
    }
    if (scores) context.require_broadcastable(input, *scores);
  }
}

void check_steps(ShapeContext& context, const std::vector<ScoreStep>& steps, std::size_t first,
                 const Shape& products) {
  const std::size_t count = operand_count(steps);
  const std::size_t given = std::max(context.input_count(), first);
  if (given != first + count) {
    context.fail("has " + std::to_string(context.input_count()) + " inputs, but its " +
                 std::to_string(steps.size()) + " steps need " + std::to_string(first + count));
  }
  std::optional<Shape> scores = products;
  for (const ScoreStep& step : steps) {
    if (step.kind == ScoreStepKind::reshape) {
      scores = reshaped(context, scores, first + step.first_operand);
    } else {
      check_step(context, step, first, scores);
    }
  }
}

/// Checks attributes and operands, and returns the shapes.
AttentionShapes checked_shapes(ShapeContext& context, const fused_places::Inputs& places) {
  const Attributes& attributes = context.attributes();
  require_known_text(context, "form", {"flash", "efficient", "recomputed"});
  const double share = double{attributes.real("dropout", 0)};
  if (!(share >= 0 && share < 1)) {
    context.fail("its dropout is " + std::to_string(share) +
                 ", but must be at least 0 and below 1");
  }
  attributes.integer("dropout_seed", 0);
  const std::vector<ScoreStep> steps = read_score_steps(attributes);
  AttentionShapes shapes =
      attention_shapes(attributes, context.shape(places.query), context.shape(places.query + 1),
                       context.shape(places.query + 2));
  check_shapes(context, shapes, places.query);
  check_steps(context, steps, places.step_operands, shapes.scores());
  return shapes;
}

ElementType sum_element(ElementType query) {
  return query == ElementType::float64 ? ElementType::float64 : ElementType::float32;
}

/// (Q, K, V, operands of the steps...) -> Y, [log_sum_exp]
void infer_fused_attention(ShapeContext& context) {
  context.set_element(0, context.element(2));
  context.set_element(1, sum_element(context.element(0)));
  const AttentionShapes shapes = checked_shapes(context, fused_places::forward);
  context.set_shape(0, permuted(context.attributes(), "output_perm", shapes.result()));
  if (context.has_output(1)) context.set_shape(1, shapes.log_sum_exp(context.attributes()));
}

/// The input of FusedAttentionGrad whose gradient is output `output`.
std::size_t input_of_gradient(std::size_t output) {
  return output < fused_places::first_step_gradient
             ? fused_places::backward.query + output
             : fused_places::backward.step_operands + output - fused_places::first_step_gradient;
}

void require_differentiable(ShapeContext& context, std::size_t output) {
  const std::size_t input = input_of_gradient(output);
  if (!context.has_input(input)) {
    context.fail("has an output for the gradient of a missing operand");
  }
  const ElementType element = context.element(input);
  if (element != ElementType::undefined && !is_floating(element)) {
    context.fail("output " + std::to_string(output) + " is the gradient of input " +
                 std::to_string(input) + ", whose elements of type " +
                 std::string(name_of(element)) + " have no gradient");
  }
}

/// (dY, Q, K, V, [Y], [log_sum_exp], operands of the steps...) -> [dQ], [dK], [dV], [gradients of
/// the operands of the steps...]
void infer_fused_attention_grad(ShapeContext& context) {
  for (std::size_t i = 0; i < context.output_count(); ++i) {
    if (!context.has_output(i)) continue;
    require_differentiable(context, i);
    context.set_element(i, context.element(input_of_gradient(i)));
  }
  if (context.has_input(fused_places::result) != context.has_input(fused_places::log_sum_exp)) {
    context.fail("has only one of the inputs Y and log_sum_exp");
  }
  const AttentionShapes shapes = checked_shapes(context, fused_places::backward);
  const Shape result = permuted(context.attributes(), "output_perm", shapes.result());
  for (const std::size_t input : {std::size_t{0}, fused_places::result}) {
    context.require_shape(input, result);
  }
  context.require_shape(fused_places::log_sum_exp, shapes.log_sum_exp(context.attributes()));
  for (std::size_t i = 0; i < context.output_count(); ++i) {
    if (context.has_output(i)) context.set_like_input(i, input_of_gradient(i));
  }
}

/// The logarithms of the softmax's sums as an output of the forward node.
ValueId saved_sums(GradientContext& g) {
  const AttentionShapes shapes = attention_shapes(g.attributes(), g.shape(g.input(0)),
                                                  g.shape(g.input(1)), g.shape(g.input(2)));
  return g.saved_output(
      1, {sum_element(g.type(g.input(0)).element), shapes.log_sum_exp(g.attributes()), {}});
}

/// Stashes Q, K, V and the operands of the steps. Unless the form is "recomputed", stashes also Y
/// and the logarithms of the softmax's sums.
void fused_attention_gradient(GradientContext& g) {
  std::vector<ValueId> inputs = {g.gradient(), g.input(0), g.input(1),
                                 g.input(2),   ValueId(),  ValueId()};
  if (g.attributes().text("form", "flash") != "recomputed") {
    inputs[fused_places::result] = g.output();
    inputs[fused_places::log_sum_exp] = saved_sums(g);
  }
  std::vector<bool> wanted = {g.wants(0), g.wants(1), g.wants(2)};
  for (std::size_t i = fused_places::forward.step_operands; i < g.node().inputs.size(); ++i) {
    inputs.push_back(g.input(i));
    wanted.push_back(g.wants(i) && is_floating(g.type(g.input(i)).element));
  }
  while (!inputs.back().valid()) inputs.pop_back();
  while (!wanted.empty() && !wanted.back()) wanted.pop_back();
  const std::vector<ValueId> gradients =
      g.add_microsoft("FusedAttentionGrad", std::move(inputs), wanted, g.attributes());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) g.give(i, gradients[i]);
  }
}

/// The sizes that the work of a node depends on.
struct AttentionWork {
  double scores = 0;  ///< number of scores: leading axes of the result * rows * keys
  double size = 0;
  double value_size = 0;
  double steps = 0;  ///< number of steps, without those that only change the shape
};

double number_of(const Expr& size) { return static_cast<double>(size.integer().value_or(0)); }

AttentionWork work_of(const CostContext& cost, const fused_places::Inputs& places) {
  const auto shape = [&](std::size_t input) {
    const auto& dims = cost.input_dims(places.query + input);
    return Shape(dims.begin(), dims.end());
  };
  const Attributes& attributes = cost.node.attributes;
  if (std::min({shape(0).size(), shape(1).size(), shape(2).size()}) < 2) return {};
  const AttentionShapes shapes = attention_shapes(attributes, shape(0), shape(1), shape(2));
  AttentionWork work = {number_of(shapes.rows()) * number_of(shapes.keys()),
                        number_of(shapes.size()), number_of(shapes.value_size()), 0};
  for (const Expr& dim : shapes.result_leading) work.scores *= number_of(dim);
  for (const ScoreStep& step : read_score_steps(attributes)) {
    work.steps += step.kind == ScoreStepKind::reshape ? 0 : 1;
  }
  return work;
}

/// Two products, the softmax and one operation per step. Masked scores count, too.
double fused_attention_flops(const CostContext& cost) {
  const AttentionWork work = work_of(cost, fused_places::forward);
  return work.scores * (2 * (work.size + work.value_size) + softmax_flops + work.steps);
}

/// Up to five products: the scores again, the gradient of the probabilities, and one for each of
/// dQ, dK and dV that the node makes. Softmax and steps count twice: they are computed again, and
/// then differentiated. Without Y, the node does the work of forward first.
double fused_attention_grad_flops(const CostContext& cost) {
  const AttentionWork work = work_of(cost, fused_places::backward);
  const auto made = [&](std::size_t output) {
    return output < cost.outputs.size() && !cost.outputs[output].empty() ? 1.0 : 0.0;
  };
  const bool has_result =
      fused_places::result < cost.inputs.size() && !cost.inputs[fused_places::result].empty();
  const double forward = 2 * (work.size + work.value_size) + softmax_flops + work.steps;
  const double products = (1 + made(0) + made(1)) * work.size + (1 + made(2)) * work.value_size;
  return work.scores *
         (2 * products + 2 * (softmax_flops + work.steps) + (has_result ? 0 : forward));
}

}  // namespace

void add_fused_attention_ops(OpRegistry& registry) {
  registry.add(microsoft({.type = "FusedAttention",
                          .operands = "Q:float[2..6] K=Q[2..6] V:float[2..6] operands* -> "
                                      "Y log_sum_exp?",
                          .infer = infer_fused_attention,
                          .gradient = fused_attention_gradient,
                          .flops = fused_attention_flops,
                          .unit = ComputeUnit::matrix}));
  registry.add(microsoft({.type = "FusedAttentionGrad",
                          .operands = "dY:float[2..6] Q:float[2..6] K=Q[2..6] V=dY[2..6] "
                                      "Y?=dY[2..6] log_sum_exp?:float[1..5] operands* -> "
                                      "dQ? dK? dV? dOperands*?",
                          .infer = infer_fused_attention_grad,
                          .flops = fused_attention_grad_flops,
                          .unit = ComputeUnit::matrix}));
}

}  // namespace stashscope
