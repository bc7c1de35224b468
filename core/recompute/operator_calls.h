#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/graph/captured_step.h"
#include "core/recompute/regions.h"

namespace stashscope {

/// Whether PyTorch gives the operator of a captured node this tag, such as `random`.
bool has_tag(const Node& node, std::string_view tag);
/// Whether the operator of a captured node writes into its input. The name of such an operator ends
/// in `_`, as in `add_`.
bool is_in_place(const Node& node);
/// Whether the operator draws random numbers. Attention draws only for a dropout.
bool draws(const Node& node);

/// Counts the calls of operators in a captured step.
class OperatorCalls {
 public:
  /// Position of an operator's name in `names_`, and how many calls of this operator came before in
  /// the same call of the module.
  using Key = std::pair<std::size_t, std::size_t>;

  explicit OperatorCalls(const Graph& graph);
  explicit OperatorCalls(Graph&& graph) = delete;

  /// The nodes of one call of a region, by operator and by number of the operator's call.
  std::map<Key, NodeId> of(const RegionCall& call) const;
  /// Operators that the second run may call more or fewer times than the first run.
  std::set<std::size_t> uncounted(const RegionCall& call) const;
  /// Namespace, operator and overload.
  const std::string& name(std::size_t position) const { return names_[position]; }
  /// The position of a name. Nothing if the step does not run the operator.
  std::optional<std::size_t> find(const std::string& name) const;
  /// The nodes that wrap numbers into tensors which autograd saves for the derivative of `node`
  /// (`SavedTensor::is_number`). They run only if `node` runs.
  std::vector<NodeId> numbers_for(NodeId node) const;

 private:
  const Graph& graph_;
  std::vector<std::string> names_;
  std::map<std::string, std::size_t> ids_;  ///< positions in `names_`
  IdVector<NodeId, std::size_t> name_;      ///< of each node, a position in `names_`
  std::multimap<NodeId, NodeId> numbers_;
};

}  // namespace stashscope
