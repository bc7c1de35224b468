#include "core/graph/packed_tokens.h"

#include <algorithm>

namespace stashscope {

std::optional<Expr> kept_token_count(const Graph& graph) {
  const PackedTokens* const packed = graph.data().packed_tokens.get();
  if (packed == nullptr) return std::nullopt;
  const auto& shape = graph.value(packed->found).type.shape;
  return shape && !shape->empty() ? std::optional(shape->back()) : std::nullopt;
}

std::int64_t expected_kept_tokens(const Graph& graph, std::int64_t tokens,
                                  const Bindings& bindings) {
  const PackedTokens& packed = *graph.data().packed_tokens;
  const Rational kept = packed.density * Rational(tokens);
  const std::int64_t most = packed.most.evaluate(bindings).value_or(tokens);
  return std::max<std::int64_t>(1, std::min(most, -(-kept).floor()));
}

}  // namespace stashscope
