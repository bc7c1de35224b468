#pragma once

#include "core/schedule/fusion/legal_range.h"
#include "core/study/step/study.h"

namespace stashscope {

/// An order after the user's moves.
struct MovedOrder {
  std::vector<NodeId> nodes;
  /// One text for each move: the reason why the move is left out, or an empty text if the move is
  /// made.
  std::vector<std::string> left_out;
};

/// Makes the moves one after the other. Leaves out moves of missing nodes, and moves that are
/// illegal after the previous moves. @param order every node once, producers before readers,
/// members of a group adjacent
MovedOrder with_moves(const Graph& graph, const Dataflow& dataflow, const FusedGroups& groups,
                      std::vector<NodeId> order, const std::vector<OrderMove>& moves);

/// A clause on the obstacle: `the node reads an output of 'a', which would run after the node`.
std::string text_of(const Graph& graph, const Dataflow& dataflow, const MoveObstacle& obstacle);

/// One warning for each move that is left out, with the reason.
std::vector<std::string> warnings_of_moves(const StudyParts& study);

/// Whether any move is made.
bool is_moved(const StudyParts& study);

/// The name of the current order, as in `order_rows`.
std::string order_in_force(const Study& study);

/// The study's current order, in which moves can be tried. Refers to the study.
MovableOrder movable_order(const Study& study);

/// The study of the same choices without moves.
std::shared_ptr<const Study> without_moves(const Study& study);

}  // namespace stashscope
