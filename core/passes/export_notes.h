#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/parameter.h"

namespace stashscope {

/// Notes on changes by the exporter that make training the file differ from training the program:
/// batch normalizations and dropouts in inference mode, parameters merged into one, parameters
/// folded into new constants. Each note says how to export without the change.
/// @param exported before any pass; values have the same ids in the step
std::vector<std::string> export_notes(const Graph& exported, const Graph& step,
                                      const std::vector<Parameter>& parameters);

}  // namespace stashscope
