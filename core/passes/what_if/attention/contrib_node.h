#pragma once

#include "core/passes/what_if/attention/fused_node.h"

namespace stashscope {

/// Reads a node of one of the attention operators that ONNX Runtime adds to those of ONNX.
/// (com.microsoft, ContribOperators.md)
class ContribNode : public FusedNode {
 protected:
  using FusedNode::FusedNode;

  /// Items [first, first + count) of the last axis.
  ValueId slice(ValueId value, std::int64_t first, std::int64_t count);
  /// Adds a node whose result has the type of its first input. Returns the result.
  ValueId add(std::string_view type, std::vector<ValueId> inputs);

  /// A number of features. Throws an AttentionStop if it is not known.
  static std::int64_t width(const Expr& size);
  /// Throws an AttentionStop for a known number of features that is no multiple of `heads`, and for
  /// `heads` below 1.
  static void require_heads(const Expr& size, std::int64_t heads);

  /// Adds the step for a mask of padding. The mask has numbers above 0 for the keys that count, as
  /// [batch, keys] or [batch, rows, keys], or it has the number of keys of each sample, as [batch].
  void add_padding(std::size_t input);
  /// Adds the product of the scores with the attribute `scale`. 0 stands for the default, as in
  /// ONNX Runtime.
  void add_given_scale();
  void add_bias_of_scores(std::size_t input);
  /// Adds the step that hides the keys after each row's own position.
  /// @param padding the input with the mask of add_padding
  /// @param offset as in earlier_keys
  void hide_later(std::size_t padding, ValueId offset);

  void require_opset() const;
  /// Throws an AttentionStop if the node has this input, which the parts cannot express.
  void refuse(std::size_t input, const char* reason) const;
  void refuse_output(std::size_t output, const char* reason) const;

 private:
  /// True for keys that are no padding, in a shape that broadcasts to the scores.
  ValueId is_key(std::size_t input, std::size_t rank);
  void require_later_below_padding(std::size_t padding) const;
};

}  // namespace stashscope
