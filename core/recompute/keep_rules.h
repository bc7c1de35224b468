#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/recompute/operator_calls.h"
#include "core/recompute/regions.h"

namespace stashscope {

/// A call of an operator that the second run of a region repeats. The region can keep the outputs
/// of this call instead.
struct KeepOption {
  KeptOperator kept;
  NodeId node;             ///< in the region's first call
  std::int64_t bytes = 0;  ///< bytes that the region holds in addition if it keeps the outputs
  /// Whether PyTorch counts the FLOPs of the operator, as for matrix products and attention.
  bool is_product = false;
};

/// Which outputs a region keeps, by operator: the outputs of the listed occurrences, or all outputs
/// of the operator if the set is empty. The text form, such as `mm 0-2 5+gelu`, leaves out the
/// namespace `aten` and the overload `default`.
using KeepRule = std::map<std::string, std::set<std::size_t>>;
std::string to_string(const KeepRule& rule);
/// Reads the text of a rule. Nothing if the text is not a rule, names an operator twice, or lists
/// more than 100,000 occurrences.
std::optional<KeepRule> parse_keep_rule(const std::string& text);

/// The work that a second run need not do if the region keeps the outputs of some options, in an
/// arbitrary unit. This includes the work of calls whose results only the kept options need.
/// @param kept by option: whether its outputs are kept
using SparedWork = std::function<double(const std::vector<bool>& kept)>;

/// Finds the outputs that regions of a captured step can keep.
class KeepFinder {
 public:
  explicit KeepFinder(const Graph& graph);
  explicit KeepFinder(Graph&& graph) = delete;

  /// The operator calls whose outputs every call of the region can keep, in the order of the
  /// region's first call. Leaves out views, outputs that are changed in place later, operators that
  /// draw random numbers, and operators that the second run may call more or fewer times than the
  /// first run.
  std::vector<KeepOption> options(const Region& region) const;

  /// Two measures of the work that a set of options spares in the region's first call: by time, and
  /// by operations.
  std::vector<SparedWork> measures(const Region& region,
                                   const std::vector<KeepOption>& options) const;

  /// The region that keeps the outputs of `rule`. It frees nothing if the rule names an operator or
  /// an occurrence that is not among `options`.
  Region keeping(const Region& region, const std::vector<KeepOption>& options,
                 const KeepRule& rule) const;

 private:
  bool can_keep(const Node& node) const;
  bool launches_kernel(NodeId id) const;
  double operations(NodeId node) const;
  double time(NodeId node) const;
  SparedWork spared(const Region& region, const std::vector<KeepOption>& options,
                    const std::function<double(NodeId)>& work_of) const;
  std::int64_t added_bytes(const Region& region, NodeId node) const;
  RegionCall keeping(RegionCall call, const std::set<OperatorCalls::Key>& kept) const;

  const Graph& graph_;
  const CapturedStep& step_;
  OperatorCalls operators_;
  Bindings sizes_;                        ///< dimension values of the capture
  IdVector<StorageId, bool> is_changed_;  ///< whether a node changes the storage in place
};

/// Rules for a region with these options, sorted by the bytes that they keep. Each rule keeps a set
/// of options. For each measure, there is the set of all products, and there are a few sets each of
/// which spares more work than those with fewer bytes. Two searches find these few sets. One starts
/// with the options that add no bytes, and adds one option at a time, always the one that spares
/// most work for each byte. The other starts with all options, and removes one option at a time,
/// always the one that spares least work for each byte. The sets are good, but not proven to be the
/// best of their sizes. A region with too many options gets no rules.
/// @param freed_bytes bytes that the region frees if it keeps no outputs; every set keeps fewer
std::vector<KeepRule> keep_rules(const std::vector<KeepOption>& options, std::int64_t freed_bytes,
                                 const std::vector<SparedWork>& measures);

}  // namespace stashscope
