#pragma once

#include <span>

#include "core/study/step/study.h"

namespace stashscope {

// An edit leaves the choices unchanged if one of its nodes has no unique name; see `why_not_named`.

/// The choices with a node moved directly before another node in the study's current step. The
/// fused group of the node moves with it. If `before` is invalid, the node moves to the end.
/// Consecutive moves of the same node are merged into one move. Unchanged if `before` is the node
/// itself or is in its group.
Choices with_move(const Study& study, Choices choices, NodeId node, NodeId before);

/// The choices with nodes taken out of their fused groups.
Choices with_nodes_alone(const Study& study, Choices choices, std::span<const NodeId> nodes);

/// The choices with two nodes never fused into one group.
Choices with_nodes_apart(const Study& study, Choices choices, NodeId a, NodeId b);

/// The choices with a fused group split before `member`. The part that starts with `member` is kept
/// apart from the earlier members that it reads; `member` is also kept apart from the member
/// directly before it. Unchanged for the first member of a group and for a node without a group.
Choices with_group_split(const Study& study, Choices choices, NodeId member);

/// One change that the user made to the result of the order strategy or the fusion strategy.
struct OrderEdit {
  enum class Kind : std::uint8_t { move, alone, apart };
  Kind kind = Kind::move;
  std::string node;
  std::string other;     ///< `move`: the next node, empty for the end; `apart`: the other node
  std::string left_out;  ///< why the edit has no effect; empty if the edit is applied

  friend bool operator==(const OrderEdit&, const OrderEdit&) = default;
};

/// All order edits in the study's choices: first the moves, in the order they were made.
std::vector<OrderEdit> order_edits(const Study& study);

/// The choices without one of a study's edits. @param index into `order_edits(study)`
Choices without_edit(const Study& study, Choices choices, std::size_t index);

}  // namespace stashscope
