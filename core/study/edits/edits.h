#pragma once

#include <optional>
#include <set>
#include <span>

#include "core/study/step/study.h"

namespace stashscope {

// An edit of rows or occurrences drops a planned sequence; plans are then chosen by cluster. To
// leave out a single occurrence of a row, an edit pins the occurrence's node. An edit of the whole
// row unpins the nodes of all occurrences that it switches on. The nodes of the row's other
// occurrences are unpinned, too, unless another plan that is on would then apply to the node. An
// edit that needs to pin a node without a unique name leaves the choices unchanged; see
// `why_not_named`.

/// The choices with every entry of a plan row switched on or off. An explicit count of 0 switches
/// off an entry that a level switches on. Switching an entry on switches off the entries that
/// exclude it.
/// @param study a study of the same model; defines which entries exclude each other
Choices with_plan(const Study& study, Choices choices, const PlanRow& row, bool on);

/// A plan row to switch, or its occurrences at some entry nodes.
struct PlanSwitch {
  const PlanRow* row = nullptr;
  std::optional<std::set<NodeId>> nodes;  ///< entry nodes; not set: all occurrences
};

/// The choices with several rows or occurrences switched, one after the other.
Choices with_plans(const Study& study, Choices choices, std::span<const PlanSwitch> switches,
                   bool on);

/// The choices with the first `count` occurrences of every entry of a plan row switched on; 0
/// switches the row off.
Choices with_plan_count(const Study& study, Choices choices, const PlanRow& row, int count);

/// The choices with the occurrences of a plan row at some entry nodes switched on or off; the other
/// occurrences stay as they are. A count can switch on only the first occurrences of an entry.
/// Therefore the edit sets a count that includes the last wanted occurrence, and pins the nodes of
/// earlier unwanted occurrences.
/// @param nodes the entry node of the first plan of each occurrence; nothing changes if the row has
/// no such occurrence
Choices with_occurrences(const Study& study, Choices choices, const PlanRow& row,
                         const std::set<NodeId>& nodes, bool on);
Choices with_occurrence(const Study& study, Choices choices, const PlanRow& row, NodeId node,
                        bool on);

/// The choices with nodes pinned or unpinned. The outputs of a pinned node stay in memory.
/// Unpinning removes every name that identifies one of the nodes.
/// @param nodes nodes of the current dataflow; a clone stands for its original
Choices with_pinned(const Study& study, Choices choices, std::span<const NodeId> nodes, bool on);

/// The choices with one dimension set. A pattern that covers the dimension is replaced by one entry
/// for each other dimension that the pattern covers.
Choices with_dimension(const Study& study, Choices choices, const Dimension& dimension,
                       std::int64_t value);

/// The nodes with outputs that at least one plan frees.
std::vector<NodeId> nodes_with_plans(const Study& study);

/// The nodes of a row, sorted: the row's entry nodes and the subgraphs of its plans.
std::vector<NodeId> nodes_of_plan(const Study& study, const PlanRow& row);

}  // namespace stashscope
