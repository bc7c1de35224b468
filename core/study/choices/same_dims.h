#pragma once

#include <map>
#include <string>

#include "core/graph/graph.h"

namespace stashscope {

/// The model with dimensions unified, before shapes are inferred. Follows chains and circles of
/// names. The first of the unified dimensions in the model remains, under its new name; the other
/// dimensions become its aliases.
/// @param same_dims name or `*` pattern -> the name that replaces it; this name may be new
/// Throws a usage Error for names that the model does not have and for texts that are not names.
Graph with_same_dims(const Graph& model, const std::map<std::string, std::string>& same_dims);

}  // namespace stashscope
