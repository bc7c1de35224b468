#pragma once

#include <optional>
#include <vector>

#include "core/run/cpu/attention/fused_operands.h"

namespace stashscope::cpu {

/// An operand of a step, broadcast to the scores; strides count elements.
struct StepOperand {
  TensorView tensor;
  std::vector<std::int64_t> leading;  ///< sizes of the scores' leading axes at the step
  std::vector<std::int64_t> strides;  ///< by leading axis
  std::int64_t row_stride = 0;
  std::int64_t key_stride = 0;

  /// The offset of the first element that a block reads.
  std::int64_t offset(const ScoreBlock& block) const;
};

/// A step with its operands.
struct GivenStep {
  ScoreStepKind kind = ScoreStepKind::reshape;
  StepOperand condition;  ///< C in the comments of ScoreStepKind
  StepOperand number;     ///< X in the comments of ScoreStepKind

  bool is_choice() const {
    return kind == ScoreStepKind::where || kind == ScoreStepKind::where_not;
  }
};

/// The sums of the gradient of one operand of a step, as numbers of type C.
template <class C>
struct StepGradient {
  TensorView target;  ///< not present if nobody wants the gradient
  std::vector<C> converted;
  C* sums = nullptr;  ///< the target's own memory if it has the type C

  explicit StepGradient(const TensorView& output);
  void finish() const;
};

/// The steps from the products of queries and keys to the scores of the softmax, for one block at a
/// time.
template <class C>
class ScoreSteps {
 public:
  /// @param first the input that is the first operand of the steps
  ScoreSteps(const KernelContext& context, std::size_t first, const FusedOperands& operands);

  /// Makes `apply` keep what `go_back` needs, and `go_back` compute the gradients of the operands.
  /// @param first the output that is the gradient of the first operand of the steps
  void want_gradients(const KernelContext& context, std::size_t first);
  bool wants_gradients() const { return wants_gradients_; }
  /// Whether the gradient of an operand is computed from the scores. An infinite or NaN score makes
  /// such a gradient NaN, even where the gradient of the scores is 0.
  bool reads_scores() const;

  /// Whether a step may hide keys. If so, all weights of a block may be 0.
  bool may_hide() const;

  /// The index of the last step that replaces all scores of the block; nullopt if no step does so.
  /// The scores before this step need not be computed.
  std::optional<std::size_t> replacing_step(const ScoreBlock& block);
  /// Applies the steps from `begin` on to scores [rows, keys].
  void apply(const ScoreBlock& block, std::size_t begin, C* scores);
  /// Turns the gradient of the last scores into that of the scores before step `begin`.
  /// @pre the last call of `apply` was for the same block and the same `begin`
  void go_back(const ScoreBlock& block, std::size_t begin, C* gradient);
  /// Stores the gradients of the operands.
  void finish() const;

 private:
  void apply_step(const GivenStep& step, const ScoreBlock& block, C* scores);
  void go_back_step(std::size_t index, const ScoreBlock& block, C* gradient);
  bool keeps_input(std::size_t index) const;

  std::vector<GivenStep> steps_;
  std::vector<StepGradient<C>> gradients_;  ///< by step
  std::vector<std::vector<C>> kept_;        ///< by step: its input, or the output of a step Tanh
  bool wants_gradients_ = false;            ///< of any operand
  bool goes_back_ = false;
  std::vector<C> numbers_;
  std::vector<C> terms_;
  std::vector<unsigned char> flags_;
};

extern template class ScoreSteps<float>;
extern template class ScoreSteps<double>;

}  // namespace stashscope::cpu
