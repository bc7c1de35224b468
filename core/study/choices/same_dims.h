#pragma once

#include <map>
#include <string>

#include "core/graph/graph.h"

namespace stashscope {

/// The model with dimensions unified, before shapes are inferred. Follows chains and circles of
/// names. Of the unified dimensions the first one in the model remains, under its new name; the
/// others become its aliases.
/// @param same_dims name or `*` pattern -> the name it stands for, which may be new
/// Throws a usage Error for names that the model does not have and for texts that are no name.
Graph with_same_dims(const Graph& model, const std::map<std::string, std::string>& same_dims);

}  // namespace stashscope
