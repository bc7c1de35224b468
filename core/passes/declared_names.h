#pragma once

#include <map>

#include "core/graph/graph.h"

namespace stashscope {

/// The model's own name for each symbol that a shape rule made up.
using DeclaredNames = std::map<SymbolId, Expr>;

/// Replaces the symbols in all types, elements, constraints and data-dependent sizes of a graph,
/// but not in its subgraphs. Drops constraints that then hold by themselves.
void use_declared_names(GraphData& data, const DeclaredNames& names);

}  // namespace stashscope
