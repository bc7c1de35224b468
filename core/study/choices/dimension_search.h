#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// The first constraint that the values break, or null. A constraint with an unbound symbol counts
/// as satisfied.
const Constraint* broken_constraint(const std::vector<Constraint>& constraints,
                                    const Bindings& values);

/// Changes values of the `free` symbols, one or two at a time, until no constraint is broken. Each
/// round changes at most four free symbols of the first broken constraint. A change is kept if it
/// lowers the number of broken constraints among those with any of these symbols. The search ends
/// when no change does so, or when more than 200 constraints have these symbols. Tries the numbers
/// up to 32, usual sizes, and the numbers up to 4096 in the broken constraint.
void repair_dimensions(const std::vector<Constraint>& constraints,
                       const std::vector<SymbolId>& free, Bindings& values);

}  // namespace stashscope
