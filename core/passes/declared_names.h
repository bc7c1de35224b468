#pragma once

#include <map>

#include "core/graph/graph.h"

namespace stashscope {

/// Symbols that shape rules made up, with the model's own names for the same sizes.
using DeclaredNames = std::map<SymbolId, Expr>;

/// Replaces the symbols of `names` in all types, elements, constraints and upper bounds of
/// data-dependent sizes of a graph, but not in its subgraphs. Drops constraints whose two sides
/// become equal.
void use_declared_names(GraphData& data, const DeclaredNames& names);

}  // namespace stashscope
