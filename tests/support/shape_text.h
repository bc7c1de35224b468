#pragma once

#include <string>
#include <vector>

#include "tests/support/model_builder.h"

namespace stashscope::test {

/// The dims of a tensor, such as `N, 4`; `unknown` if not even the rank is known.
inline std::string shape_text(const Graph& graph, ValueId id) {
  const auto& shape = graph.value(id).type.shape;
  if (!shape) return "unknown";
  std::string text;
  for (const Expr& dim : *shape) {
    text += (text.empty() ? "" : ", ") + to_string(dim, graph.symbols());
  }
  return text;
}

inline std::string shape_text(const Graph& graph, const std::string& name) {
  return shape_text(graph, id_of(graph, name));
}

/// The dims of the outputs y0, y1, ... of a node.
inline std::vector<std::string> output_shapes(const Graph& graph, std::size_t outputs) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < outputs; ++i) {
    texts.push_back(shape_text(graph, "y" + std::to_string(i)));
  }
  return texts;
}

}  // namespace stashscope::test
