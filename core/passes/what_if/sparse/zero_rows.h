#pragma once

#include <map>

#include "core/passes/what_if/sparse/token_flow.h"

namespace stashscope {

/// Knows which nodes may give numbers or gradients that are not finite where their tokens are
/// zeros. Keeps references to its arguments.
class ZeroRows {
 public:
  ZeroRows(const Rewriter& graph, const TokenFlow& flow) : graph_(graph), flow_(flow) {}

  bool are_singular_for(const Node& node);

 private:
  /// What is proven of the elements of a value for any tokens.
  enum class Sign : std::uint8_t { any, not_negative, positive };

  Sign sign_of(ValueId value);
  Sign computed_sign(ValueId value);
  Sign sign_behind(const Node& node);
  bool is_square(const Node& node) const;
  bool may_be_zero(ValueId value);

  const Rewriter& graph_;
  const TokenFlow& flow_;
  std::map<ValueId, Sign> signs_;
  int depth_ = 0;
};

}  // namespace stashscope
