#include "core/study/step/sizes.h"

#include "core/memory/workspace.h"

namespace stashscope {

std::shared_ptr<const Sizes> sizes_under(const PreparedStep& prepared, const SizeChoices& dims) {
  auto sizes = std::make_shared<Sizes>();
  const Graph& graph = *prepared.step.graph;
  sizes->dims = bind_dimensions(graph, dims);
  sizes->bytes = value_bytes(graph, sizes->dims.bindings, sizes->unknown);
  sizes->workspace = workspace_bytes(graph, sizes->dims.bindings);
  sizes->work = node_work(graph, prepared.ops, sizes->dims.bindings, sizes->bytes);
  for (const Parameter& each : prepared.step.parameters) {
    sizes->parameter_bytes += sizes->bytes[each.value];
  }
  return sizes;
}

}  // namespace stashscope
