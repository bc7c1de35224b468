#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/recompute/regions.h"

namespace stashscope {

/// An operator that a second run of a region would run, and whose outputs it could keep instead.
struct KeepOption {
  KeptOperator kept;
  NodeId node;              ///< in the region's first call
  double work = 0;          ///< what keeping the outputs spares, in an arbitrary unit
  std::int64_t bytes = 0;   ///< what keeping the outputs adds to what the region holds
  bool is_product = false;  ///< whether PyTorch counts its operations: products, attention
};

/// Which outputs a region keeps: for each operator all its outputs (an empty set), or those of some
/// occurrences. As text `mm 0-2 5+gelu`; the namespace `aten` and the overload `default` are left
/// out.
using KeepRule = std::map<std::string, std::set<std::size_t>>;
std::string to_string(const KeepRule& rule);
/// Reads such a text; nothing for any other, for an operator that is named twice, and for ranges
/// of more than 100,000 occurrences.
std::optional<KeepRule> parse_keep_rule(const std::string& text);

/// Finds what regions of a captured step can keep.
class KeepFinder {
 public:
  explicit KeepFinder(const Graph& graph);
  explicit KeepFinder(Graph&& graph) = delete;

  /// What every call of the region can keep, in the order of its first call. Leaves out views,
  /// outputs that are changed in place later, and operators that draw random numbers. Also leaves
  /// out operators that the second run calls more or fewer times than the first.
  std::vector<KeepOption> options(const Region& region) const;

  /// The region with the outputs of `rule` kept. Frees nothing if an occurrence of the rule is no
  /// option of the region.
  Region keeping(const Region& region, const std::vector<KeepOption>& options,
                 const KeepRule& rule) const;

 private:
  using Occurrences = std::map<std::pair<std::size_t, std::size_t>, NodeId>;

  bool can_keep(const Node& node) const;
  std::set<std::size_t> uncounted(const RegionCall& call) const;
  Occurrences occurrences(const RegionCall& call) const;
  double work(NodeId node) const;
  std::int64_t added_bytes(const Region& region, NodeId node) const;
  RegionCall keeping(RegionCall call,
                     const std::set<std::pair<std::size_t, std::size_t>>& kept) const;
  std::size_t name_of(NodeId node) const { return name_[node]; }

  const Graph& graph_;
  const CapturedStep& step_;
  Bindings sizes_;                          ///< of the capture
  std::vector<std::string> names_;          ///< full names of operators
  std::map<std::string, std::size_t> ids_;  ///< positions in `names_`
  IdVector<NodeId, std::size_t> name_;      ///< of each node, a position in `names_`
  IdVector<StorageId, bool> is_changed_;    ///< whether a node changes the storage in place
  std::multimap<NodeId, NodeId> numbers_;   ///< by node: what wraps a number for its derivative
};

/// Rules for a region with these options. PyTorch runs every operator again that is not kept, so
/// keeping an output spares the time of its own operator only. Therefore the best sets take the
/// operators by falling work for each byte; between two neighbouring sets nothing is better than
/// their mixture, but for the size of a single output. At most a few of these sets, from the
/// smallest to the largest, and the set of all products.
/// @param freed_bytes what the region frees without kept outputs; no set keeps nearly as much
std::vector<KeepRule> keep_rules(const std::vector<KeepOption>& options, std::int64_t freed_bytes);

}  // namespace stashscope
