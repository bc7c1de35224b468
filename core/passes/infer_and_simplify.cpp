#include "core/passes/infer_and_simplify.h"

#include <optional>

#include "core/passes/infer_shapes.h"
#include "core/passes/inline_branches.h"
#include "core/passes/unpack_sequences.h"

namespace stashscope {

Graph infer_and_simplify(const Graph& model) {
  Graph graph = infer_shapes(model);
  // In the simpler graph, shape inference may know further conditions and sequences.
  for (;;) {
    std::optional<Graph> simpler = inline_known_branches(graph);
    if (!simpler) simpler = unpack_sequences(graph);
    if (!simpler) return graph;
    graph = infer_shapes(*std::move(simpler));
  }
}

}  // namespace stashscope
