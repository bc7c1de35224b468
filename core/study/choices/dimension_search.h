#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// The first constraint that the values break, or null. A constraint with an unbound symbol counts
/// as satisfied.
const Constraint* broken_constraint(const std::vector<Constraint>& constraints,
                                    const Bindings& values);

/// Changes the values of `free` symbols until no constraint is broken. Each round takes the first
/// broken constraint and at most four of the free symbols in it. It tries other values for each of
/// these symbols, then for each pair of them: the numbers up to 32, usual sizes, and the numbers up
/// to 4096 in the broken constraint. It keeps the change that breaks the fewest of the constraints
/// with any of these symbols. The search ends when no change breaks fewer constraints than before,
/// or when more than 200 constraints have any of these symbols.
void repair_dimensions(const std::vector<Constraint>& constraints,
                       const std::vector<SymbolId>& free, Bindings& values);

}  // namespace stashscope
