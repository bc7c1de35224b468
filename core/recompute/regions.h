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

/// The call of an operator whose outputs a region keeps: the `occurrence`-th call of the operator
/// in one call of the module, counted from 0.
struct KeptOperator {
  std::string name;  ///< with namespace and overload: `aten.mm.default`
  std::size_t occurrence = 0;

  friend bool operator==(const KeptOperator&, const KeptOperator&) = default;
};

/// A node whose outputs the checkpoint keeps from the first run until the second run takes them.
struct KeptNode {
  NodeId node;
  /// The number of nodes of `RegionCall::again` that run before its place; nothing: the second run
  /// ends before it, so the outputs stay as long as the checkpoint.
  std::optional<std::size_t> position;
};

/// A call of a region's module, as PyTorch's checkpoint runs it.
struct RegionCall {
  NodeId first;                      ///< the first node of the call
  std::size_t end = 0;               ///< position after its last node
  std::vector<NodeId> again;         ///< nodes that run again, in order
  NodeId trigger;                    ///< the node before which they run
  NodeId released;                   ///< the last node during which the checkpoint holds anything
  std::vector<StorageId> arguments;  ///< storages that the checkpoint holds for the second run
  std::vector<std::size_t> saved;   ///< positions in `CapturedStep::saved` of what it does not save
  std::vector<KeptNode> kept = {};  ///< nodes that do not run again, in order
};

/// A module that a checkpoint runs again in the backward pass. Source of the rules:
/// torch.utils.checkpoint with use_reentrant=False. It saves the arguments instead of what autograd
/// would save. When backward first asks for one of these tensors, the whole module runs again, and
/// stops early: after the last tensor that autograd saved. A selective checkpoint keeps the outputs
/// of some operators; every other operator still runs again.
struct Region {
  std::string module;
  std::vector<RegionCall> calls;
  std::vector<ValueId> freed;      ///< first values of the storages that it frees between its runs
  std::vector<ValueId> held = {};  ///< of the storages that only its kept outputs hold
  std::vector<KeptOperator> kept = {};  ///< in order of name and occurrence
};

/// Whether the regions have a node in common. Then only one of them can be applied.
bool overlap(const Region& a, const Region& b);

/// The values whose memory a plan frees, without those that need another plan, too.
std::vector<ValueId> freed_values(const Graph& graph, const NodePlan& plan);

/// One plan for each module of a captured step that can be a region. Modules whose names differ
/// only in numbers, such as `h.0` and `h.1`, have the same cluster, `h.*`. Further plans keep some
/// outputs inside the module (keep_rules.h), and their clusters name them: `h.*[keep mm]`. The
/// model itself has no plan, nor has a module that saves nothing, that has a checkpoint already, or
/// that changes a tensor of others in place: its second run would read other data.
Findings find_regions(const StrategyInput& input);

/// The dataflow of a captured step with regions, and how PyTorch runs it. @pre the regions do not
/// overlap
Dataflow with_regions(const Graph& graph, const std::vector<const NodePlan*>& plans);

}  // namespace stashscope
