#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/recompute/apply.h"
#include "core/study/choices.h"

namespace stashscope {

/// The plans that the choices switch on: all of a level, changed by those that are chosen.
RecomputeConfig config_in_force(const Graph& graph, const Choices& choices,
                                const Opportunities& opportunities);

/// What nodes are called in `Choices::kept`. Refers to the graph.
class KeptNames {
 public:
  explicit KeptNames(const Graph& graph);

  /// The node's own name, or where it has none or others have the same, that of its first output.
  const std::string& of(NodeId node) const;
  /// The nodes that are meant. A name that several nodes have means all of them.
  KeptNodes nodes(const std::set<std::string>& names) const;
  /// Those of the names that mean no node, sorted.
  std::vector<std::string> unknown(const std::set<std::string>& names) const;

 private:
  template <class Visit>
  void visit_names(NodeId node, Visit visit) const;

  const Graph& graph_;
  std::unordered_map<std::string_view, int> uses_;  ///< of each node name
};

}  // namespace stashscope
