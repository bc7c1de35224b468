#pragma once

#include <optional>
#include <vector>

#include "core/graph/attributes.h"
#include "core/run/cpu/primitives/shared_names.h"
#include "core/run/shared/walk.h"

namespace stashscope::cpu {

enum class Reduction { none, mean, sum };

/// The attribute `reduction`.
Reduction reduction_of(const Attributes& attributes);

/// The targets of a loss: one label for each row of scores. The weight of a target is the weight of
/// its label's class.
class Targets {
 public:
  /// Throws a run Error for a label that is neither a class nor ignored.
  /// @param scores dims of the scores @param weights one per class, or not present
  Targets(const std::vector<std::int64_t>& scores, const TensorView& labels,
          const TensorView& weights, std::optional<std::int64_t> ignored);

  std::size_t size() const { return labels_.size(); }
  std::int64_t classes() const { return split_.size; }
  std::int64_t label(std::size_t i) const { return labels_[i]; }
  /// Whether the label is not ignored.
  bool counts(std::size_t i) const { return !ignored_ || labels_[i] != *ignored_; }
  /// 0 for an ignored label.
  double weight(std::size_t i) const;
  double total_weight() const;

  /// The offset of the first score of target i; the scores of a target lie `stride` apart.
  std::int64_t offset(std::size_t i) const;
  std::int64_t stride() const { return split_.inner; }

 private:
  void check(std::int64_t label) const;

  AxisSplit split_;
  std::vector<std::int64_t> labels_;
  std::vector<double> weights_;
  std::optional<std::int64_t> ignored_;
};

/// The label to ignore: the operand at `input` if the operator has it, else the attribute
/// `ignore_index`.
std::optional<std::int64_t> ignored_label(const KernelContext& context, std::size_t input);

/// The attribute `ignore_index`.
std::optional<std::int64_t> ignored_label(const Attributes& attributes);

/// The loss from one weighted loss per target: the losses themselves, their sum, or (mean) their
/// sum divided by the total weight of the targets.
std::vector<double> reduced(std::vector<double> losses, const Targets& targets,
                            Reduction reduction);

/// The gradient of each target's negative log probability, from the gradient `dy` of the loss.
std::vector<double> target_gradients(const TensorView& dy, const Targets& targets,
                                     Reduction reduction);

}  // namespace stashscope::cpu
