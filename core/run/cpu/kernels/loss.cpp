// Losses over class scores [batch, classes, ...] with labels [batch, ...].

#include <cmath>

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/losses/targets.h"
#include "core/run/shared/numbers.h"

namespace stashscope::cpu {

namespace {

/// Reads the inputs at the indices `labels`, `labels + 1` (weights) and `labels + 2` (ignored
/// label, only in operators named `...Internal`).
Targets targets_of(const KernelContext& context, const std::vector<std::int64_t>& scores,
                   std::size_t labels) {
  const TensorView weights = context.has_input(labels + 1) ? context.in(labels + 1) : TensorView();
  return Targets(scores, context.in(labels), weights, ignored_label(context, labels + 2));
}

/// log(softmax(scores)) of every target's row.
template <class C>
std::vector<C> log_probabilities(const C* scores, std::int64_t elements, const Targets& targets) {
  std::vector<C> result(static_cast<std::size_t>(elements));
  const std::int64_t stride = targets.stride();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const C* const row = scores + targets.offset(i);
    C* const to = result.data() + targets.offset(i);
    C greatest = row[0];
    for (std::int64_t k = 1; k < targets.classes(); ++k)
      greatest = std::max(greatest, row[k * stride]);
    double sum = 0;
    for (std::int64_t k = 0; k < targets.classes(); ++k) {
      sum += static_cast<double>(std::exp(row[k * stride] - greatest));
    }
    const double shift = static_cast<double>(greatest) + std::log(sum);
    for (std::int64_t k = 0; k < targets.classes(); ++k) {
      to[k * stride] = static_cast<C>(static_cast<double>(row[k * stride]) - shift);
    }
  }
  return result;
}

/// Minus the log probabilities of the labels, weighted and reduced.
template <class C>
std::vector<double> reduced_loss(const C* log_probability, const Targets& targets,
                                 Reduction reduction) {
  std::vector<double> losses(targets.size(), 0);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (!targets.counts(i)) continue;
    const std::int64_t at = targets.offset(i) + targets.label(i) * targets.stride();
    losses[i] = -static_cast<double>(log_probability[at]) * targets.weight(i);
  }
  return reduced(std::move(losses), targets, reduction);
}

/// Computes the loss (output 0) from the log probabilities that `find(scores, targets)` returns.
/// Output 1, if wanted, is these log probabilities.
template <class Find>
void label_loss(const KernelContext& context, Find find) {
  const TensorView& scores = context.in(0);
  const Targets targets = targets_of(context, scores.dims, 1);
  with_real(scores.element, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const Converted<C> items(scores);
    const std::vector<C> found = find(items.data(), targets);
    store_numbers(reduced_loss(found.data(), targets, reduction_of(context.attributes())),
                  context.out());
    if (context.has_output(1)) store_numbers(found, context.out(1));
  });
}

void cross_entropy(const KernelContext& context) {
  label_loss(context, [&](const auto* scores, const Targets& targets) {
    return log_probabilities(scores, context.in(0).elements(), targets);
  });
}

/// The scores are log probabilities already.
void negative_log_likelihood(const KernelContext& context) {
  label_loss(context, [&](const auto* scores, const Targets&) {
    return std::vector(scores, scores + context.in(0).elements());
  });
}

/// Inputs (dy, log probabilities, labels, ...). dx of a score is `entry(log probability, whether
/// the class is the label)` times the target's gradient. The result may overwrite the log
/// probabilities.
template <class Entry>
void loss_gradient(const KernelContext& context, Entry entry) {
  const TensorView& out = context.out();
  const Targets targets = targets_of(context, out.dims, 2);
  const std::vector<double> factors =
      target_gradients(context.in(0), targets, reduction_of(context.attributes()));
  const auto gradient = [&](auto* dx, const auto* log_probability) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      for (std::int64_t k = 0; k < targets.classes(); ++k) {
        const std::int64_t at = targets.offset(i) + k * targets.stride();
        const bool is_label = targets.counts(i) && k == targets.label(i);
        const double slope = factors[i] == 0 ? 0 : entry(log_probability[at], is_label);
        dx[at] = static_cast<std::decay_t<decltype(*dx)>>(slope * factors[i]);
      }
    }
  };
  compute_real(out, gradient, context.in(1));
}

void cross_entropy_grad(const KernelContext& context) {
  loss_gradient(context, [](auto log_probability, bool is_label) {
    return static_cast<double>(std::exp(log_probability)) - (is_label ? 1 : 0);
  });
}

void negative_log_likelihood_grad(const KernelContext& context) {
  loss_gradient(context, [](auto, bool is_label) { return is_label ? -1.0 : 0.0; });
}

/// Runs an operator named `Sparse...`. Throws a run Error if the node has weights. The weights of
/// these operators, one per target, are not supported.
template <KernelFunction run>
void sparse(const KernelContext& context) {
  const std::size_t weights = run == cross_entropy ? 2 : 3;
  if (context.has_input(weights)) fail_run("", "has a weight per target, which is not supported");
  run(context);
}

}  // namespace

void add_loss_kernels(KernelRegistry& registry) {
  registry.add("", "SoftmaxCrossEntropyLoss", {cross_entropy});
  registry.add("com.microsoft", "SoftmaxCrossEntropyLossInternal", {cross_entropy});
  registry.add("com.microsoft", "SoftmaxCrossEntropyLossGrad", {cross_entropy_grad});
  registry.add("com.microsoft", "SoftmaxCrossEntropyLossInternalGrad", {cross_entropy_grad});
  registry.add("", "SparseSoftmaxCrossEntropy", {sparse<cross_entropy>});
  registry.add("", "SparseSoftmaxCrossEntropyGrad", {sparse<cross_entropy_grad>});
  registry.add("", "NegativeLogLikelihoodLoss", {negative_log_likelihood});
  registry.add("com.microsoft", "NegativeLogLikelihoodLossGrad", {negative_log_likelihood_grad});
}

}  // namespace stashscope::cpu
