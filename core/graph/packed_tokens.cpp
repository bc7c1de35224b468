#include "core/graph/packed_tokens.h"

#include <algorithm>

namespace stashscope {

std::optional<Expr> kept_tokens(const Graph& graph) {
  const PackedTokens* const packed = graph.data().packed_tokens.get();
  if (packed == nullptr) return std::nullopt;
  const auto& shape = graph.value(packed->places).type.shape;
  return shape && !shape->empty() ? std::optional(shape->back()) : std::nullopt;
}

std::int64_t expected_tokens(const Graph& graph, std::int64_t all, const Bindings& bindings) {
  const PackedTokens& packed = *graph.data().packed_tokens;
  const Rational kept = packed.density * Rational(all);
  const std::int64_t most = packed.most.evaluate(bindings).value_or(all);
  return std::max<std::int64_t>(1, std::min(most, -(-kept).floor()));
}

}  // namespace stashscope
