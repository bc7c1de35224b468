#pragma once

#include <map>
#include <string>

#include "core/graph/graph.h"

namespace stashscope {

/// The model with dimensions made one, before shapes are inferred. Chains and circles of names are
/// followed. The one dimension that stays is the first of them in the model, under its new name;
/// the old names stand for it from then on.
/// @param same_dims name or `*` pattern -> the name it stands for, which may be new
/// Throws a usage Error for names that the model does not have and for what cannot be a name.
Graph with_same_dims(const Graph& model, const std::map<std::string, std::string>& same_dims);

}  // namespace stashscope
