#pragma once

#include <functional>
#include <map>
#include <string>

#include "core/passes/rewriting/rewriter.h"
#include "core/passes/what_if/sparse/mask_bounds.h"
#include "core/passes/what_if/sparse/token_roles.h"

namespace stashscope {

/// Thrown where a value for a left out token could change a result, or where that is not known.
struct SparseStop {
  NodeId node;
  std::string reason;  ///< the rest of a sentence that begins with the node
};

/// The sizes of the ids: [batch, positions].
struct TokenSizes {
  Expr batch;
  Expr positions;
};

/// Scores at or below this number are 0 after a softmax, because all other scores are much higher.
constexpr double hidden_score = -9000;

/// A number of at most this magnitude that is added to a key's score neither hides the key nor
/// shows a hidden key again.
constexpr double small_score = 1000;

/// How left out keys are hidden.
struct KeyMask {
  MaskBounds& hidden;           ///< the ranges of values for left out keys
  MaskBounds& shown;            ///< ranges for keys that the mask shows; without a mask, own keys
  const class TokenFlow* flow;  ///< follows the mask; null: all later keys are hidden
};

/// Follows values that hold tokens through a graph. Proves that the elements for a left out token
/// do not change the elements for any other token. Keeps a reference to the graph.
class TokenFlow {
 public:
  /// @param mask null: the flow follows a mask instead of tokens, up to the nodes that it does not
  /// understand
  TokenFlow(const Rewriter& graph, TokenSizes sizes, const KeyMask* mask)
      : graph_(graph), sizes_(std::move(sizes)), mask_(mask) {}

  void start(ValueId value, TokenState state) { states_[value] = std::move(state); }
  /// Follows the values of `start` as far as other values depend on them. Throws a SparseStop where
  /// a left out token may change more than its own rows; a flow that follows a mask throws nothing.
  void follow();
  /// Null for a value that holds no tokens.
  const TokenState* find(ValueId value) const;
  const TokenSizes& sizes() const { return sizes_; }
  /// `TokenState::leading` of a value that holds the tokens of the ids, row for row; else 0.
  std::size_t leading(ValueId value) const;

 private:
  using Rule = void (TokenFlow::*)(NodeId);
  static Rule rule_for(const Node& node);
  void follow(NodeId id);
  [[noreturn]] void stop(NodeId id, std::string reason) const;

  const Shape& shape(NodeId id, ValueId value) const;
  const TokenState& first_alone(NodeId id) const;
  std::size_t axis_of(NodeId id, std::int64_t axis, std::size_t rank) const;
  void require_plain(NodeId id, const TokenState& state, std::size_t axis) const;
  void set(NodeId id, const TokenState& state);

  TokenState joined(NodeId id) const;
  void join(NodeId id, const TokenState& from, const Shape& dims, TokenState& to) const;
  bool holds_for_keys(ValueId operand, const TokenState& scores) const;
  double most_of(ValueId operand, const TokenState& scores) const;
  double most_added(ValueId operand, bool subtracts, const TokenState& scores) const;
  double most_chosen(const Node& node, const TokenState& scores) const;
  double most_hidden(const Node& node, const TokenState& scores) const;
  bool keeps_a_key(ValueId branch) const;
  bool keeps_zeros(const Node& node, const TokenState& made) const;
  void reach(const Node& node, TokenState& made) const;
  void require_no_subgraph(NodeId id) const;

  void elementwise(NodeId id);
  void dropout(NodeId id);
  void softmax(NodeId id);
  void normalization(NodeId id);
  void reduction(NodeId id);
  void product(NodeId id);
  void gemm(NodeId id);
  void transpose(NodeId id);
  void reshape(NodeId id);
  void expand(NodeId id);
  void split(NodeId id);
  void slice(NodeId id);
  void concat(NodeId id);
  void gather(NodeId id);
  void dims(NodeId) {}
  void loss(NodeId id);

  const Rewriter& graph_;
  TokenSizes sizes_;
  const KeyMask* mask_;
  std::map<ValueId, TokenState> states_;
};

/// Whether each element of the first output depends only on the elements at the same position of
/// the broadcast inputs.
bool works_by_element(const Node& node);

bool is_reduction(const Node& node);
bool is_row_normalization(const Node& node);

}  // namespace stashscope
