#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// The first constraint that the values break, or null. Constraints with unbound symbols hold.
const Constraint* broken_constraint(const std::vector<Constraint>& constraints,
                                    const Bindings& values);

/// Changes values of the `free` symbols, one or two at a time, until no constraint is broken or no
/// such change helps. Tries the numbers up to 32, usual sizes and the numbers in the constraints.
/// At most four free symbols of a constraint are searched; models rarely have more.
void repair_dimensions(const std::vector<Constraint>& constraints,
                       const std::vector<SymbolId>& free, Bindings& values);

}  // namespace stashscope
