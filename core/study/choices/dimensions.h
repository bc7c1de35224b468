#pragma once

#include <string>
#include <vector>

#include "core/study/choices/choices.h"

namespace stashscope {

/// A dimension of the model that can be set.
struct Dimension {
  std::string name;
  std::int64_t value = 0;
  bool assumed = false;           ///< the user gave no value
  std::vector<std::string> also;  ///< other names that stand for the same
  SymbolId symbol;
  std::string at_most;  ///< a size that depends on data: what bounds it, in dimension names
};

/// Whether a name or `*` pattern means the dimension, by any of its names.
bool covers(const std::string& pattern, const Dimension& dimension);

/// Throws a usage Error that lists the names there are.
[[noreturn]] void fail_unknown_dimension(const std::string& name,
                                         const std::vector<Dimension>& dimensions);

/// Values for all dimensions of a graph.
struct DimensionValues {
  std::vector<Dimension> dimensions;  ///< in the order the model's inputs mention them
  Bindings bindings;                  ///< by symbol, names that stand for others included
};

/// Binds every dimension of an inferred graph: to the user's value, else to an assumed one that
/// satisfies all constraints (1 for the first axis of an input, 128 or less for others, 224 for
/// image sides; sizes that depend on data are as large as they can be). Throws a usage Error for a
/// name the model does not have, and for values that contradict each other or a node of the model.
DimensionValues bind_dimensions(const Graph& graph,
                                const std::map<std::string, std::int64_t>& wanted);

}  // namespace stashscope
