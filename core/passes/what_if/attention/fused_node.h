#pragma once

#include "core/passes/what_if/attention/attention_masks.h"

namespace stashscope {

/// Queries, keys or values as an operand, and its shape [batch, heads, positions, size].
struct SplitHeads {
  AttentionOperand operand;
  Shape shape;
};

/// The three operands of an attention.
struct AttentionOperands {
  SplitHeads query;
  SplitHeads key;
  SplitHeads value;
};

/// Reads a node that computes a whole attention. Readers of single operators derive from this
/// class. Its functions throw an AttentionStop if AttentionParts cannot express the node.
class FusedNode {
 protected:
  FusedNode(NodeWriter& writer, NodeId id);

  bool has(std::size_t input) const;
  /// An output that is read; else invalid.
  ValueId wanted(std::size_t output) const;
  /// The shape of an input that the node has.
  Shape shape_of(std::size_t input) const;
  std::size_t rank_of(std::size_t input) const { return shape_of(input).size(); }

  /// Splits the heads of a value [batch, positions, heads * size].
  SplitHeads split(ValueId value, std::int64_t heads);
  /// @param value [batch, heads, positions, size]: its heads are split already
  SplitHeads apart(ValueId value) const;
  /// Appends keys or values to those of earlier calls. Together they become an output for later
  /// calls.
  /// @param past [batch, heads, positions, size]; invalid: none @param present invalid: not read
  SplitHeads with_cache(SplitHeads now, ValueId past, ValueId present);
  /// Puts the operands into `parts_`. Throws an AttentionStop if the numbers of heads do not
  /// match.
  /// @param merges_heads whether the result is [batch, positions, heads * size]
  void take(AttentionOperands operands, bool merges_heads);

  /// The numbers of rows and keys of the operands that were taken.
  ScoreSize size();
  /// Adds the product of the scores with `scale`; nothing stands for 1 / sqrt(size of a head).
  void add_scale(std::optional<double> scale);
  /// Adds the steps cap * tanh(scores / cap) if `cap` is above 0.
  void add_soft_cap(double cap);
  /// Throws an AttentionStop if further outputs are read.
  void refuse_further_outputs() const;
  /// Throws an AttentionStop for a mask that is neither boolean nor of floating-point numbers.
  void require_mask_type(ValueId mask) const;

  NodeWriter& writer_;
  const Rewriter& graph_;
  Node node_;
  AttentionParts parts_;

 private:
  /// Adds a step with a number of type float64 for float64 scores, else float32.
  void add_number_step(const char* type, double number);
};

}  // namespace stashscope
