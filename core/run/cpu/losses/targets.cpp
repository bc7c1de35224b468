#include "core/run/cpu/losses/targets.h"

#include <numeric>
#include <string>

#include "core/run/shared/numbers.h"

namespace stashscope::cpu {

Reduction reduction_of(const Attributes& attributes) {
  const std::string name = attributes.text("reduction", "mean");
  return name == "none" ? Reduction::none : name == "sum" ? Reduction::sum : Reduction::mean;
}

Targets::Targets(const std::vector<std::int64_t>& scores, const TensorView& labels,
                 const TensorView& weights, std::optional<std::int64_t> ignored)
    : split_(scores.size() > 1 ? split_at(scores, 1) : AxisSplit{1, scores[0], 1}),
      labels_(as_integers(labels)),
      weights_(numbers_of<double>(weights)),
      ignored_(ignored) {
  for (const std::int64_t label : labels_) check(label);
}

double Targets::weight(std::size_t i) const {
  if (!counts(i)) return 0;
  return weights_.empty() ? 1 : weights_[static_cast<std::size_t>(labels_[i])];
}

double Targets::total_weight() const {
  double total = 0;
  for (std::size_t i = 0; i < size(); ++i) total += weight(i);
  return total;
}

std::int64_t Targets::offset(std::size_t i) const {
  const auto at = static_cast<std::int64_t>(i);
  return at / split_.inner * split_.size * split_.inner + at % split_.inner;
}

void Targets::check(std::int64_t label) const {
  if (ignored_ && label == *ignored_) return;
  if (label < 0 || label >= split_.size) {
    fail_run("", "label " + std::to_string(label) + " is not one of the " +
                     std::to_string(split_.size) + " classes");
  }
}

std::optional<std::int64_t> ignored_label(const Attributes& attributes) {
  const bool has = attributes.has("ignore_index");
  return has ? std::optional(attributes.integer("ignore_index", 0)) : std::nullopt;
}

std::optional<std::int64_t> ignored_label(const KernelContext& context, std::size_t input) {
  return context.has_input(input) ? as_integer(context.in(input))
                                  : ignored_label(context.attributes());
}

std::vector<double> reduced(std::vector<double> losses, const Targets& targets,
                            Reduction reduction) {
  if (reduction == Reduction::none) return losses;
  const double sum = std::accumulate(losses.begin(), losses.end(), 0.0);
  return {reduction == Reduction::mean ? sum / targets.total_weight() : sum};
}

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

}  // namespace stashscope::cpu
