#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/passes/what_if/attention/attention_block.h"

namespace stashscope {

/// Adds nodes to a graph, each before a chosen node. Shapes that are left out are inferred later.
class NodeWriter {
 public:
  explicit NodeWriter(Rewriter& graph) : graph_(graph) {}

  /// Chooses the node before which nodes are added. The name of an added node is the name of the
  /// chosen node, `_` and the added operator.
  void move_to(NodeId place);
  Rewriter& graph() const { return graph_; }
  /// Forgets the constants and the values of `once`, so that later calls add new ones. Call this
  /// after an attention that keeps its form: nothing reads the nodes that were added for this
  /// attention, and the next attention must not read them either.
  void forget() { known_.clear(); }

  ValueId add(Node node, TensorType made);
  ValueId add(std::string_view type, std::vector<ValueId> inputs, TensorType made,
              Attributes attributes = {});
  /// The value with its axes permuted; the value itself if the order is kept.
  ValueId transpose(ValueId value, const std::vector<std::int64_t>& perm);
  /// @param target as in ONNX, Reshape: 0 copies a size, -1 stands for the rest
  /// @param shape of the result, which is inferred later if left out
  ValueId reshape(ValueId value, const std::vector<std::int64_t>& target,
                  std::optional<Shape> shape = std::nullopt);
  /// The value with axes of size 1 at these places of the result.
  ValueId unsqueeze(ValueId value, const std::vector<std::int64_t>& axes);
  /// The value with elements of a type; the value itself if it has this type.
  ValueId cast(ValueId value, ElementType element);
  /// The size of an axis as an int64 without axes. @pre the shape is known @param axis not below 0
  ValueId length(ValueId value, std::int64_t axis);

  // Constants; equal ones are added once.
  /// int64 [number of items]
  ValueId integers(const std::vector<std::int64_t>& items);
  /// int64 without axes
  ValueId integer(std::int64_t item);
  /// Without axes.
  ValueId number(ElementType element, double item);
  /// Boolean, without axes.
  ValueId flag(bool item);

  /// The value that `make()` adds under a key. Later calls with this key return the same value.
  template <class Make>
  ValueId once(const std::string& key, const Make& make) {
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    const ValueId made = make();
    known_.emplace(key, made);
    return made;
  }

 private:
  Rewriter& graph_;
  NodeId place_;
  std::string name_;
  std::map<std::string, ValueId> known_;
};

/// Why an attention keeps its form.
struct AttentionStop {
  std::string reason;  ///< the rest of a sentence that begins with the node
};

/// A further output of an attention's node, and the added value that takes the place of this
/// output.
struct HandedOn {
  ValueId output;
  ValueId value;
};

/// An attention that one node computes.
struct AttentionParts {
  /// `softmax` is the node that computes the attention; `last` is the node whose output has the
  /// result. The result is the product with the values, permuted by `output_perm`.
  AttentionBlock block;
  Shape query;                ///< [leading..., rows, size]
  Shape key;                  ///< [leading..., keys, size]
  Shape value;                ///< [leading..., keys, value size]
  bool merges_heads = false;  ///< the last two axes of the permuted result become one
  /// Whether FusedAttention may do the work of a Transpose that is the only reader of the result.
  bool may_take_transposition = false;
  /// Boolean [leading..., rows, 1]: false for a row that sees no key. The steps make its scores 0;
  /// its result is 0. Invalid: every row sees a key.
  ValueId visible_rows;
  /// The type of the softmax if the attention is written step by step; undefined: that of the
  /// scores.
  ElementType softmax_element = ElementType::undefined;
  /// The output that has the scores after `shown_steps` steps, or the probabilities if
  /// `shown_steps` is above the number of steps; invalid: none.
  ValueId shown;
  std::size_t shown_steps = 0;
  std::vector<HandedOn> handed_on;
  std::vector<ValueId> frozen;  ///< initializers that become literals
};

/// Throws an AttentionStop if keys or values have a number of heads that does not divide the number
/// of query heads. A single query head broadcasts. Sizes that are not known pass.
void require_matching_heads(const Shape& query, const Shape& other);

/// The node FusedAttention in one of its forms.
Node fused_attention_node(const AttentionBlock& block, const std::string& form);

/// Replaces the node that is an attention. If it throws an AttentionStop, it has added only nodes
/// that nothing reads.
/// @param form one of FusedAttention; nothing: step by step
void write_attention(NodeWriter& writer, AttentionParts parts,
                     const std::optional<std::string>& form);

}  // namespace stashscope
