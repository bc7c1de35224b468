#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/captured_step.h"
#include "core/graph/dataflow.h"
#include "core/recompute/plan.h"
#include "core/recompute/strategy.h"

namespace stashscope {

/// A call of an operator in a call of a region's module. The region keeps the outputs of this call,
/// or the second run leaves the call out.
struct KeptOperator {
  std::string name;            ///< with namespace and overload: `aten.mm.default`
  std::size_t occurrence = 0;  ///< how many calls of the operator come before in the module's call

  friend bool operator==(const KeptOperator&, const KeptOperator&) = default;
};

/// A node of the call that the second run leaves out. In `RegionCall::kept`, the checkpoint keeps
/// the node's outputs from the first run until the second run takes them. In `RegionCall::skipped`,
/// nothing needs the node's outputs.
struct KeptNode {
  NodeId node;
  /// How many nodes of `RegionCall::again` run before the second run reaches the node. Nothing if
  /// the second run ends earlier; the outputs then live as long as the checkpoint.
  std::optional<std::size_t> position;
};

/// A call of a region's module, as PyTorch's checkpoint runs it.
struct RegionCall {
  NodeId first;               ///< the first node of the call
  std::size_t end = 0;        ///< position after its last node
  std::vector<NodeId> again;  ///< nodes that run again, in order
  /// The node before which the second run starts; invalid: no second run.
  NodeId trigger;
  NodeId released;                   ///< the last node during which the checkpoint holds anything
  std::vector<StorageId> arguments;  ///< storages that the checkpoint holds for the second run
  /// Positions in `CapturedStep::saved` of the tensors that the checkpoint does not save.
  std::vector<std::size_t> saved;
  /// Nodes that do not run again, because the second run takes their kept outputs, in order.
  std::vector<KeptNode> kept = {};
  /// Nodes after the call whose derivatives take outputs of the call from the second run.
  std::vector<NodeId> readers = {};
  /// Storages of the outputs that `readers` take, in order.
  std::vector<StorageId> made_again = {};
  /// By position in `arguments`: the node that allocates the storage; invalid for an input.
  std::vector<NodeId> argument_makers = {};
  /// Nodes that do not run again, because nothing needs their outputs, in order.
  std::vector<KeptNode> skipped = {};
};

/// A module that a checkpoint runs again in the backward pass. Source of the rules:
/// torch.utils.checkpoint with use_reentrant=False. The checkpoint saves the arguments instead of
/// the tensors that autograd would save. When backward first asks for one of these tensors, the
/// module runs again from its start, up to the last tensor that autograd saved. A selective
/// checkpoint keeps the outputs of some operators. In the second run, `stashscope.apply` leaves out
/// the operators whose outputs nothing needs; every other operator runs again.
struct Region {
  std::string module;
  std::vector<RegionCall> calls;
  std::vector<ValueId> freed;  ///< first values of the storages freed between the two runs
  /// First values of the storages that stay in memory only because the region keeps outputs in
  /// them.
  std::vector<ValueId> held = {};
  std::vector<KeptOperator> kept = {};  ///< in order of name and occurrence
  /// Whether the region also frees the outputs of the module that autograd saves, and makes them
  /// again. The module then runs again to its end.
  bool frees_outputs = false;
  /// Calls of operators that a second run leaves out, in order of name and occurrence. A second run
  /// also leaves out the calls that read outputs of these calls.
  std::vector<KeptOperator> skipped = {};
};

/// The values whose memory a plan frees. Leaves out values whose memory is freed only if another
/// plan is applied, too.
std::vector<ValueId> freed_values(const Graph& graph, const NodePlan& plan);

/// One plan for each module of a captured step that can be a region. Modules whose names differ
/// only in numbers, such as `h.0` and `h.1`, have the same cluster, `h.*`. Further plans keep some
/// outputs inside the module (keep_rules.h), and their clusters name these outputs: `h.*[keep mm]`.
/// Clusters of plans that also free the module's outputs end in `[out]`. The following modules get
/// no plan:
/// - the model itself;
/// - a module whose second run would free nothing, or that already has a checkpoint;
/// - a module that changes in place a tensor that it does not make and that is not a buffer,
///   because its second run would read changed data;
/// - a module in which sharded training gathers parameters;
/// - a module whose parameters are not gathered when it would run again.
Findings find_regions(const StrategyInput& input);

/// The dataflow of a captured step in which the regions of `plans` run again, with the order and
/// the lifetimes that PyTorch gives it. If a region frees an output that is an argument of another
/// region, the second run of the freeing region comes before that of the other region.
/// @pre the regions do not overlap
Dataflow with_regions(const Graph& graph, const std::vector<const NodePlan*>& plans);

}  // namespace stashscope
