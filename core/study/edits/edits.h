#pragma once

#include <optional>
#include <set>
#include <span>

#include "core/study/step/study.h"

namespace stashscope {

// Edits of plans go back from a planned sequence to plans by cluster. What is said of a whole row
// holds for all its nodes: those that were kept, to leave single occurrences out, are no longer,
// unless another plan that is on would then be carried out there. Where a node has to be kept that
// no name means, an edit leaves the choices unchanged; see `why_not_named`.

/// The choices with every entry of a plan row switched on or off. Entries that a level switches on
/// are switched off by an explicit count of 0. Options that exclude a switched one go off.
/// @param study of the same model, tells which options exclude each other
Choices with_plan(const Study& study, Choices choices, const PlanRow& row, bool on);

/// A whole row, or its occurrences at some entry nodes.
struct PlanSwitch {
  const PlanRow* row = nullptr;
  std::optional<std::set<NodeId>> nodes;  ///< the first parts'; nothing: the whole row
};

/// The choices with several of these switched, one after the other.
Choices with_plans(const Study& study, Choices choices, std::span<const PlanSwitch> switches,
                   bool on);

/// The choices with `count` occurrences of every entry of a plan row; 0 is off, all of them is on.
Choices with_plan_count(const Study& study, Choices choices, const PlanRow& row, int count);

/// The choices with the occurrences of a plan row at some entry nodes switched on or off, the
/// others as they are: the count ends with the last occurrence that is on, and those before it that
/// are off are kept.
/// @param nodes the first parts'; nothing changes where the row has no such occurrence
Choices with_occurrences(const Study& study, Choices choices, const PlanRow& row,
                         const std::set<NodeId>& nodes, bool on);
Choices with_occurrence(const Study& study, Choices choices, const PlanRow& row, NodeId node,
                        bool on);

/// The choices with the outputs of nodes kept in memory (pinned), or no longer; then every name
/// goes that means one of them.
/// @param nodes of the current dataflow; clones stand for their originals
Choices with_kept(const Study& study, Choices choices, std::span<const NodeId> nodes, bool on);

/// The choices with one dimension set. Patterns that cover it are written out for the other
/// dimensions they cover.
Choices with_dimension(const Study& study, Choices choices, const Dimension& dimension,
                       std::int64_t value);

/// The nodes whose outputs some plan frees.
std::vector<NodeId> nodes_with_plans(const Study& study);

/// The nodes that a row is about: all entries with the subgraphs that would be recomputed, sorted.
std::vector<NodeId> nodes_of_plan(const Study& study, const PlanRow& row);

}  // namespace stashscope
