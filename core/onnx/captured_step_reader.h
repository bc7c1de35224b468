#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// Whether the model's metadata say that the graph is a captured step. (docs/captured_step.md)
bool is_captured_step(const GraphData& data);

/// Fills `captured` from the metadata and the nodes' attributes. If a storage outlives the step and
/// holds no input, one of its values becomes an output, unless the outputs in the file keep the
/// storage alive anyway. Throws an input Error that names the faulty entry or node, or if a newer
/// version of the format wrote the file.
void read_captured_step(GraphData& data);

}  // namespace stashscope
