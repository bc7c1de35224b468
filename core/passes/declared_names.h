#pragma once

#include <map>

#include "core/graph/graph.h"

namespace stashscope {

/// The model's own name for each symbol that a shape rule made up.
using DeclaredNames = std::map<SymbolId, Expr>;

/// Replaces the symbols of `names` in all types, elements, constraints and data-dependent sizes of
/// a graph, but not in its subgraphs. Drops constraints whose two sides become equal.
void use_declared_names(GraphData& data, const DeclaredNames& names);

}  // namespace stashscope
