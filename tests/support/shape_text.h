#pragma once

#include <string>

#include "tests/support/model_builder.h"

namespace stashscope::test {

/// The dims of a tensor, such as `N, 4`; `unknown` if not even the rank is known.
inline std::string shape_text(const Graph& graph, const std::string& name) {
  const auto& shape = graph.value(id_of(graph, name)).type.shape;
  if (!shape) return "unknown";
  std::string text;
  for (const Expr& dim : *shape) {
    text += (text.empty() ? "" : ", ") + to_string(dim, graph.symbols());
  }
  return text;
}

}  // namespace stashscope::test
