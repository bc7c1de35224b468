#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/graph/attributes.h"
#include "core/graph/graph.h"

namespace stashscope {

/// The operations of a softmax for each score: as many as the operator Softmax takes for each
/// element.
constexpr double softmax_flops = 8;

/// What happens to the scores after the product of queries and keys and before the softmax.
enum class ScoreStepKind : std::uint8_t {
  multiply,   ///< scores * X
  divide,     ///< scores / X
  add,        ///< scores + X
  subtract,   ///< scores - X
  where,      ///< condition C, X: scores where C is true, else X
  where_not,  ///< condition C, X: X where C is true, else scores
  tanh,       ///< no operand
  reshape,    ///< the new shape, int64; rows and keys stay
};

/// One step between the product and the softmax, with the places of its operands among the operands
/// of all steps.
struct ScoreStep {
  ScoreStepKind kind;
  std::size_t first_operand;
  std::size_t operands;
  std::string_view name;  ///< in the attribute `steps`

  bool is_choice() const {
    return kind == ScoreStepKind::where || kind == ScoreStepKind::where_not;
  }
  /// The place of X. Only for steps with this operand.
  std::size_t number() const { return first_operand + operands - 1; }
};

/// The steps in the attribute `steps` of FusedAttention. Throws an input Error for an unknown step.
std::vector<ScoreStep> read_score_steps(const Attributes& attributes);

/// The number of operands of all steps.
std::size_t operand_count(const std::vector<ScoreStep>& steps);

/// The axes of the operands and results of FusedAttention, after the permutations of its
/// attributes. The leading axes of Q, K and V broadcast as those of a matrix product. The last
/// leading axis counts heads. K and V may also have a number of heads that divides that of Q: query
/// head h then uses head h / (heads of Q / heads of K).
struct AttentionShapes {
  Shape query;           ///< [leading..., rows, size]
  Shape key;             ///< [leading..., keys, size]
  Shape value;           ///< [leading..., keys, value size]
  Shape score_leading;   ///< leading axes of the product of Q and K
  Shape result_leading;  ///< leading axes of the product of the weights and V

  const Expr& rows() const { return query[query.size() - 2]; }
  const Expr& keys() const { return key[key.size() - 2]; }
  const Expr& size() const { return query.back(); }
  const Expr& value_size() const { return value.back(); }

  /// [leading..., rows, keys], before the steps.
  Shape scores() const;
  /// [leading..., rows, value size], before the permutation of the result.
  Shape result() const;
  /// The logarithms of the softmax's sums, [leading..., rows].
  /// @param is_padded whether the rows are padded to a multiple of 32, as in PyTorch's
  /// memory-efficient kernel
  Shape log_sum_exp(bool is_padded) const;
  /// The same for a FusedAttention with these attributes, which pads the rows if its form is
  /// "efficient".
  Shape log_sum_exp(const Attributes& attributes) const;
};

/// Computes the shapes from those of Q, K and V, of rank 2 or more. Does not check whether the
/// sizes of Q, K and V fit together; shape rules do that. Throws an input Error for a list of axes
/// that is no permutation.
AttentionShapes attention_shapes(const Attributes& attributes, const Shape& query, const Shape& key,
                                 const Shape& value);

/// The axes of `shape` in the order of the attribute `name`, as ONNX Transpose; unchanged if the
/// attribute is missing. Throws an input Error for a list that is no permutation.
Shape permuted(const Attributes& attributes, std::string_view name, const Shape& shape);

/// The axes in the attribute `name`; 0, 1, ... if the attribute is missing. Throws an input Error
/// for a list that is no permutation of `rank` axes.
Integers permutation(const Attributes& attributes, std::string_view name, std::size_t rank);

/// The shape of the scores after a step `reshape`: 0 copies a size, -1 stands for the rest. (ONNX,
/// Reshape) Nothing if the target has several -1 or copies an axis that is not there.
std::optional<Shape> reshaped_scores(const Shape& scores, const std::vector<Expr>& target);

}  // namespace stashscope
