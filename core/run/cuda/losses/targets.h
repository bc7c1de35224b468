#pragma once

#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

enum class Reduction { none, mean, sum };

/// The attribute `reduction`.
Reduction reduction_of(const LoweringContext& context);

/// The index of an operand that an operator does not have.
constexpr std::size_t no_operand = static_cast<std::size_t>(-1);

/// The targets of a loss: labels, weights of the classes, and the label to ignore.
struct TargetOperands {
  const LoweringContext& context;
  std::int64_t classes;
  std::size_t labels;
  std::size_t weights = no_operand;  ///< one per class
  std::size_t ignored = no_operand;  ///< the label to ignore; else the attribute `ignore_index`

  bool has_weights() const { return has(weights); }
  bool ignores() const { return has(ignored) || context.attributes().has("ignore_index"); }

  /// The text of the type Targets<...> (kernels/loss.cuh), and of an object of this type.
  std::string type() const;
  std::string object(CallText& text) const;

 private:
  bool has(std::size_t index) const { return index != no_operand && context.has_input(index); }
  OperandType operand(std::size_t index) const;
};

/// Adds the calls that reduce the targets' losses, which are in the scratch memory `losses`, and
/// store the result in output 0.
/// @param computed the element type in which losses are computed
void add_total(const TargetOperands& targets, std::int64_t count, ElementType computed,
               Operand losses, Lowered& lowered);

/// Adds the reduction that stores the sum of the targets' weights in scratch memory, if the loss is
/// a mean in which targets have different weights. Else adds nothing.
std::optional<Operand> add_total_weight(const TargetOperands& targets, std::int64_t count,
                                        ElementType computed, Lowered& lowered);

/// The operands `total` and `divisor` of target_factor (kernels/loss.cuh).
/// @param total the result of add_total_weight
std::vector<std::string> divisor_operands(const TargetOperands& targets,
                                          std::optional<Operand> total, std::int64_t count,
                                          ElementType computed, CallText& text);

}  // namespace stashscope::cuda
