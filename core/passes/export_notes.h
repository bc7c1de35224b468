#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/parameter.h"

namespace stashscope {

/// Notes on changes by the exporter that make the training of the exported file differ from the
/// training of the original program: batch normalizations and dropouts in inference mode,
/// parameters merged into one, parameters folded into new constants. The notes say how to export
/// without the changes.
/// @param exported the graph before any pass; its values have the same ids in `step`
std::vector<std::string> export_notes(const Graph& exported, const Graph& step,
                                      const std::vector<Parameter>& parameters);

}  // namespace stashscope
