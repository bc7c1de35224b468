#pragma once

#include <span>

#include "core/study/step/study.h"

namespace stashscope {

// Edits leave the choices unchanged where no name means one of their nodes; see `why_not_named`.

/// The choices with a node of the study's current step, and the group it runs in, moved directly in
/// front of another one; invalid: to the end. Several moves of one node in a row are one. Unchanged
/// where the other one moves along.
Choices with_move(const Study& study, Choices choices, NodeId node, NodeId before);

/// The choices with nodes taken out of their groups.
Choices with_nodes_alone(const Study& study, Choices choices, std::span<const NodeId> nodes);

/// The choices with two nodes never fused into one group.
Choices with_nodes_apart(const Study& study, Choices choices, NodeId a, NodeId b);

/// The choices with a group split in front of a member: what it reads of the members in front of
/// it, and what the members behind it read of those, is kept apart. Unchanged for a first member
/// and for a node without a group.
Choices with_group_split(const Study& study, Choices choices, NodeId member);

/// What the user wants otherwise than the strategies of order and fusion have it.
struct OrderEdit {
  enum class Kind : std::uint8_t { move, alone, apart };
  Kind kind = Kind::move;
  std::string node;
  std::string other;     ///< in front of which it moved (empty: to the end), or is kept apart from
  std::string left_out;  ///< why the edit changes nothing; empty: it is made

  friend bool operator==(const OrderEdit&, const OrderEdit&) = default;
};

/// Moves first, in turn.
std::vector<OrderEdit> order_edits(const Study& study);

/// The choices without one of a study's edits. @param index among its order_edits
Choices without_edit(const Study& study, Choices choices, std::size_t index);

}  // namespace stashscope
