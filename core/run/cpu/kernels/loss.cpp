// Losses over class scores [batch, classes, ...] with labels [batch, ...].

#include <cmath>
#include <optional>

#include "core/run/cpu/kernels/families.h"
#include "core/run/shared/numbers.h"
#include "core/run/shared/walk.h"

namespace stashscope::cpu {

namespace {

enum class Reduction { none, mean, sum };

Reduction reduction_of(const Attributes& attributes) {
  const std::string name = attributes.text("reduction", "mean");
  return name == "none" ? Reduction::none : name == "sum" ? Reduction::sum : Reduction::mean;
}

/// The targets of a loss: one label for each row of scores. The weight of a target is the weight of
/// its label's class.
class Targets {
 public:
  /// @param scores dims of the scores @param weights one per class, or not present
  Targets(const std::vector<std::int64_t>& scores, const TensorView& labels,
          const TensorView& weights, std::optional<std::int64_t> ignored)
      : split_(scores.size() > 1 ? split_at(scores, 1) : AxisSplit{1, scores[0], 1}),
        labels_(as_integers(labels)),
        weights_(numbers_of<double>(weights)),
        ignored_(ignored) {
    for (const std::int64_t label : labels_) check(label);
  }

  std::size_t size() const { return labels_.size(); }
  std::int64_t classes() const { return split_.size; }
  std::int64_t label(std::size_t i) const { return labels_[i]; }
  bool counts(std::size_t i) const { return !ignored_ || labels_[i] != *ignored_; }

  double weight(std::size_t i) const {
    if (!counts(i)) return 0;
    return weights_.empty() ? 1 : weights_[static_cast<std::size_t>(labels_[i])];
  }
  double total_weight() const {
    double total = 0;
    for (std::size_t i = 0; i < size(); ++i) total += weight(i);
    return total;
  }

  /// The offset of the first score of target i; the scores of a target lie `stride` apart.
  std::int64_t offset(std::size_t i) const {
    const auto at = static_cast<std::int64_t>(i);
    return at / split_.inner * split_.size * split_.inner + at % split_.inner;
  }
  std::int64_t stride() const { return split_.inner; }

 private:
  void check(std::int64_t label) const {
    if (ignored_ && label == *ignored_) return;
    if (label < 0 || label >= split_.size) {
      fail_run("", "label " + std::to_string(label) + " is not one of the " +
                       std::to_string(split_.size) + " classes");
    }
  }

  AxisSplit split_;
  std::vector<std::int64_t> labels_;
  std::vector<double> weights_;
  std::optional<std::int64_t> ignored_;
};

/// The label to ignore: the operand at `input` if the operator has it, else the attribute
/// `ignore_index`.
std::optional<std::int64_t> ignored_label(const KernelContext& context, std::size_t input) {
  if (context.has_input(input)) return as_integer(context.in(input));
  const bool has = context.attributes().has("ignore_index");
  return has ? std::optional(context.attributes().integer("ignore_index", 0)) : std::nullopt;
}

/// Reads the operands at `labels`, `labels + 1` (weights) and `labels + 2` (ignored label, only in
/// operators named `...Internal`).
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
  if (reduction == Reduction::none) return losses;
  double sum = 0;
  for (const double loss : losses) sum += loss;
  return {reduction == Reduction::mean ? sum / targets.total_weight() : sum};
}

/// Computes the loss (output 0) from the log probabilities that `find(scores, targets)` returns,
/// and stores the log probabilities as output 1.
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

/// The gradient of each target's negative log probability, from the gradient `dy` of the loss.
std::vector<double> target_gradients(const TensorView& dy, const Targets& targets,
                                     Reduction reduction) {
  std::vector<double> factors = numbers_of<double>(dy);
  if (reduction != Reduction::none) factors.assign(targets.size(), factors[0]);
  const double share = reduction == Reduction::mean ? 1 / targets.total_weight() : 1;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    factors[i] = targets.counts(i) ? factors[i] * targets.weight(i) * share : 0;
  }
  return factors;
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
