#pragma once

#include <functional>
#include <map>

#include "core/passes/what_if/sparse/token_flow.h"

namespace stashscope {

/// Knows which nodes may give numbers or gradients that are not finite where their tokens are
/// zeros. Keeps references to the graph and the flow.
class ZeroRows {
 public:
  /// @param is_put_back whether a value is made from packed rows; such a value has zeros for left
  /// out tokens, whatever its nodes compute
  ZeroRows(const Rewriter& graph, const TokenFlow& flow, std::function<bool(ValueId)> is_put_back)
      : graph_(graph), flow_(flow), is_put_back_(std::move(is_put_back)) {}

  bool are_singular_for(const Node& node);

 private:
  /// The sign that is proven for all elements of a value, whatever the tokens are.
  enum class Sign : std::uint8_t { any, not_negative, positive };

  Sign sign_of(ValueId value);
  Sign computed_sign(ValueId value);
  Sign sign_made_by(const Node& node);
  bool is_square(const Node& node) const;
  bool may_be_zero(ValueId value);

  const Rewriter& graph_;
  const TokenFlow& flow_;
  std::function<bool(ValueId)> is_put_back_;
  std::map<ValueId, Sign> signs_;
  int depth_ = 0;
  bool is_cut_off_ = false;  ///< whether the recursion ended before a sign was known
};

}  // namespace stashscope
