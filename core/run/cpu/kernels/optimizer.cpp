// Optimizers: new weights from gradients.

#include <cmath>

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/strided_copy.h"
#include "core/run/shared/numbers.h"
#include "core/run/shared/wrapping.h"

namespace stashscope::cpu {

namespace {

using Items = std::vector<double>;

double real_attribute(const KernelContext& context, const char* name, float otherwise) {
  return double{context.attributes().real(name, otherwise)};
}

/// decay * old + (1 - decay) * news[i]
Items moving_average(const Items& old, const Items& news, double decay) {
  Items result(old.size());
  for (std::size_t i = 0; i < old.size(); ++i) result[i] = decay * old[i] + (1 - decay) * news[i];
  return result;
}

Items squares(Items items) {
  for (double& item : items) item *= item;
  return items;
}

void store(const KernelContext& context, std::size_t output, const Items& items) {
  if (context.has_output(output)) store_numbers(items, context.out(output));
}

/// The update of AdamOptimizer. Mode 0 corrects the bias of both moments and decays the weights
/// before the update; mode 1 corrects the bias by scaling the learning rate and decays the weights
/// after the update. (Loshchilov and Hutter, arXiv 1711.05101; the attribute weight_decay_mode)
struct AdamStep {
  double rate;
  double epsilon;
  double decay;
  double correction1 = 1;
  double correction2 = 1;
  bool decays_after = false;

  double operator()(double weight, double moment1, double moment2) const {
    if (!decays_after) {
      const double divisor = std::sqrt(moment2 / correction2) + epsilon;
      return weight - rate * (moment1 / correction1 / divisor + decay * weight);
    }
    const double scale = rate * std::sqrt(correction2) / correction1;
    const double moved = weight - scale * moment1 / (std::sqrt(moment2) + epsilon);
    return moved - rate * decay * moved;
  }
};

AdamStep adam_step(const KernelContext& context, std::int64_t step) {
  AdamStep how{as_number(context.in(0)), real_attribute(context, "epsilon", 1e-6F),
               real_attribute(context, "lambda", 0)};
  how.decays_after = context.attributes().integer("weight_decay_mode", 0) != 0;
  if (context.attributes().integer("do_bias_correction", 1) != 0) {
    how.correction1 =
        1 - std::pow(real_attribute(context, "alpha", 0.9F), static_cast<double>(step));
    how.correction2 =
        1 - std::pow(real_attribute(context, "beta", 0.999F), static_cast<double>(step));
  }
  return how;
}

/// Whether the node updates anything. If input 6 or input 9 is boolean, that input is the answer;
/// otherwise, the node always updates.
bool updates(const KernelContext& context) {
  for (const std::size_t input : {6U, 9U}) {
    const bool flag = context.has_input(input) && context.in(input).element == ElementType::boolean;
    if (flag) return as_number(context.in(input)) != 0;
  }
  return true;
}

void require_plain(const KernelContext& context) {
  const bool mixed = context.has_input(6) && context.in(6).element != ElementType::boolean;
  if (mixed || context.has_input(7) || context.has_input(8)) {
    fail_run("",
             "has weights in mixed precision, a loss scale or a gradient norm, which the CPU "
             "kernel does not support");
  }
}

/// (rate, step, weights, gradient, moment 1, moment 2, ..., [update]) -> step, moments, weights,
/// [gradient]
void adam(const KernelContext& context) {
  require_plain(context);
  const std::int64_t step = as_integer(context.in(1));
  const bool moves = updates(context);
  Items weights = numbers_of<double>(context.in(2));
  const Items gradient = numbers_of<double>(context.in(3));
  Items moment1 = numbers_of<double>(context.in(4));
  Items moment2 = numbers_of<double>(context.in(5));
  if (moves) {
    moment1 = moving_average(moment1, gradient, real_attribute(context, "alpha", 0.9F));
    moment2 = moving_average(moment2, squares(gradient), real_attribute(context, "beta", 0.999F));
    const AdamStep next = adam_step(context, step);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = next(weights[i], moment1[i], moment2[i]);
    }
  }
  if (context.has_output(0)) {
    context.out(0).as<std::int64_t>()[0] = moves ? wrapping_sum<std::int64_t>(step, 1) : step;
  }
  store(context, 1, moment1);
  store(context, 2, moment2);
  store(context, 3, weights);
  if (context.has_output(4)) copy_all(context.in(3), context.out(4));
}

/// The operands of ONNX's optimizers: rate R, step T, then N weights, N gradients and N states of
/// each kind.
struct Operands {
  const KernelContext& context;
  std::size_t count;

  Operands(const KernelContext& of, std::size_t states)
      : context(of), count((of.inputs.size() - 2) / (states + 2)) {}

  /// @param kind 0 weights, 1 gradients, 2 and 3 states
  Items items(std::size_t kind, std::size_t i) const {
    return numbers_of<double>(context.in(2 + kind * count + i));
  }
  /// @param kind 0 weights, 1 and 2 states
  void give(std::size_t kind, std::size_t i, const Items& items) const {
    store(context, kind * count + i, items);
  }
  double rate() const { return as_number(context.in(0)); }
  double step() const { return as_number(context.in(1)); }

  /// The gradient plus the regularization term.
  Items regularized(std::size_t i) const {
    const double norm = real_attribute(context, "norm_coefficient", 0);
    const Items weights = items(0, i);
    Items gradient = items(1, i);
    for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] += norm * weights[k];
    return gradient;
  }
};

/// (ONNX, ai.onnx.preview.training, Adagrad)
void adagrad(const KernelContext& context) {
  const Operands operands(context, 1);
  const double decay = real_attribute(context, "decay_factor", 0);
  const double epsilon = real_attribute(context, "epsilon", 0);
  const double rate = operands.rate() / (1 + operands.step() * decay);
  for (std::size_t i = 0; i < operands.count; ++i) {
    const Items gradient = operands.regularized(i);
    Items weights = operands.items(0, i);
    Items sums = operands.items(2, i);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      sums[k] += gradient[k] * gradient[k];
      weights[k] -= rate * gradient[k] / (std::sqrt(sums[k]) + epsilon);
    }
    operands.give(0, i, weights);
    operands.give(1, i, sums);
  }
}

/// (ONNX, ai.onnx.preview.training, Momentum)
void momentum(const KernelContext& context) {
  const Operands operands(context, 1);
  const double alpha = real_attribute(context, "alpha", 0);
  const double beta = operands.step() > 0 ? real_attribute(context, "beta", 0) : 1;
  const bool nesterov = context.attributes().text("mode", "standard") == "nesterov";
  for (std::size_t i = 0; i < operands.count; ++i) {
    const Items gradient = operands.regularized(i);
    Items weights = operands.items(0, i);
    Items velocity = operands.items(2, i);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      velocity[k] = alpha * velocity[k] + beta * gradient[k];
      const double move = nesterov ? gradient[k] + alpha * velocity[k] : velocity[k];
      weights[k] -= operands.rate() * move;
    }
    operands.give(0, i, weights);
    operands.give(1, i, velocity);
  }
}

/// (ONNX, ai.onnx.preview.training, Adam; Kingma and Ba, arXiv 1412.6980)
void onnx_adam(const KernelContext& context) {
  const Operands operands(context, 2);
  const double alpha = real_attribute(context, "alpha", 0.9F);
  const double beta = real_attribute(context, "beta", 0.999F);
  const double epsilon = real_attribute(context, "epsilon", 0);
  const double after = 1 - real_attribute(context, "norm_coefficient_post", 0);
  const double step = operands.step();
  const double rate =
      step > 0 ? operands.rate() * std::sqrt(1 - std::pow(beta, step)) / (1 - std::pow(alpha, step))
               : operands.rate();
  for (std::size_t i = 0; i < operands.count; ++i) {
    const Items gradient = operands.regularized(i);
    Items weights = operands.items(0, i);
    const Items first = moving_average(operands.items(2, i), gradient, alpha);
    const Items second = moving_average(operands.items(3, i), squares(gradient), beta);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      weights[k] = after * (weights[k] - rate * first[k] / (std::sqrt(second[k]) + epsilon));
    }
    operands.give(0, i, weights);
    operands.give(1, i, first);
    operands.give(2, i, second);
  }
}

}  // namespace

void add_optimizer_kernels(KernelRegistry& registry) {
  registry.add("com.microsoft", "AdamOptimizer", {adam});
  registry.add("ai.onnx.preview.training", "Adam", {onnx_adam});
  registry.add("ai.onnx.preview.training", "Adagrad", {adagrad});
  registry.add("ai.onnx.preview.training", "Momentum", {momentum});
}

}  // namespace stashscope::cpu
