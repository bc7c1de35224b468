#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/study/choices/choices.h"

namespace stashscope {

/// A dimension of the model that can be set.
struct Dimension {
  std::string name;
  std::int64_t value = 0;
  bool assumed = false;           ///< the user gave no value
  bool as_captured = false;       ///< the value is that of the capture; `assumed` is then set, too
  std::vector<std::string> also;  ///< other names of the dimension
  SymbolId symbol;
  std::string at_most;  ///< expression that bounds a size that depends on data; empty: no bound
};

/// Where a value that the user did not give comes from: `assumed` or `as captured`. Empty for a
/// value of the user.
std::string_view origin_of(const Dimension& dimension);

/// Whether a name or `*` pattern matches any of the dimension's names.
bool covers(const std::string& pattern, const Dimension& dimension);

/// Throws a usage Error that lists the dimension names of the model.
[[noreturn]] void fail_unknown_dimension(const std::string& name,
                                         const std::vector<Dimension>& dimensions);

/// Values for all dimensions of a graph.
struct DimensionValues {
  std::vector<Dimension> dimensions;  ///< dimensions of inputs first, by their first use
  Bindings bindings;                  ///< values by symbol, aliases included
};

/// Binds every dimension of a graph with inferred shapes to the user's value. For a dimension
/// without such a value, assumes the size of the capture in a captured step. In other steps,
/// assumes:
/// - for the first axis of an input: 1, or 1 per micro-batch if the step has micro-batches;
/// - for a side of images: up to 224;
/// - for a size that depends on data: the upper bound of the size;
/// - for the number of kept tokens: the share of its upper bound that the what-if `sparse` names;
/// - for other sizes: up to 128.
/// Changes assumed values that break a constraint. Throws a usage Error for a name that the model
/// does not have, for an invalid size, and for values that contradict each other or a node of the
/// model.
DimensionValues bind_dimensions(const Graph& graph,
                                const std::map<std::string, std::int64_t>& wanted);

}  // namespace stashscope
