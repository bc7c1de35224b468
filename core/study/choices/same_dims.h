#pragma once

#include <map>
#include <string>

#include "core/graph/graph.h"

namespace stashscope {

/// The model with dimensions unified. Call this before shape inference. Names may form chains and
/// circles. Of the dimensions that are unified, the first in the model remains, under its new name;
/// the other dimensions become its aliases. Throws a usage Error for names that the model does not
/// have and for texts that are not names.
/// @param same_dims maps a dimension name or `*` pattern to the name that replaces it, which may be
/// a new name or a name of the model
Graph with_same_dims(const Graph& model, const std::map<std::string, std::string>& same_dims);

}  // namespace stashscope
