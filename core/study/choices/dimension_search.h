#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// The first constraint that the values break, or null. A constraint with an unbound symbol counts
/// as satisfied.
const Constraint* broken_constraint(const std::vector<Constraint>& constraints,
                                    const Bindings& values);

/// Changes values of the `free` symbols, one or two at a time, until no constraint is broken. Gives
/// up when no change helps the first broken constraint. Tries the numbers up to 32, usual sizes and
/// the numbers in the broken constraint. Changes at most four free symbols of a constraint.
void repair_dimensions(const std::vector<Constraint>& constraints,
                       const std::vector<SymbolId>& free, Bindings& values);

}  // namespace stashscope
