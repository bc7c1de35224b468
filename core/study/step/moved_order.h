#pragma once

#include "core/schedule/fusion/legal_range.h"
#include "core/study/step/study.h"

namespace stashscope {

/// An order with the user's moves made in it.
struct MovedOrder {
  std::vector<NodeId> nodes;
  std::vector<std::string> left_out;  ///< by move: why; empty: it is made
};

/// The moves one after the other, without those whose nodes are gone and those that are illegal by
/// then. @param order every node once, producers before readers, groups side by side
MovedOrder with_moves(const Graph& graph, const Dataflow& dataflow, const FusedGroups& groups,
                      std::vector<NodeId> order, const std::vector<OrderMove>& moves);

/// `'a' makes what it reads, and runs behind that`
std::string text_of(const Graph& graph, const Dataflow& dataflow, const MoveObstacle& obstacle);

/// Says of each move that is left out why.
std::vector<std::string> warnings_of_moves(const Study& study);

/// Whether any move is made.
bool is_moved(const Study& study);

/// The name of the row among the study's orders that is in force.
std::string order_in_force(const Study& study);

/// The study's current order, to be moved in. Refers to the study.
MovableOrder movable_order(const Study& study);

/// The study of the same choices without moves.
std::shared_ptr<const Study> without_moves(const Study& study);

}  // namespace stashscope
