#include "core/study/step/moved_order.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/study/choices/node_names.h"

namespace stashscope {

namespace {

class Mover {
 public:
  Mover(const Graph& graph, const Dataflow& dataflow, const FusedGroups& groups,
        std::vector<NodeId> order)
      : graph_(graph),
        dataflow_(dataflow),
        names_(graph, dataflow),
        order_(dataflow.topology, groups, std::move(order)) {}

  /// Makes a move if it is legal. Returns why the move is left out; empty if the move is made.
  std::string make(const OrderMove& move) {
    const NodeId node = names_.find(move.node);
    const NodeId other = move.before ? names_.find(*move.before) : NodeId();
    if (!node.valid()) return gone(move.node);
    if (!other.valid() && move.before) return gone(*move.before);
    const std::size_t before = other.valid() ? order_.steps_of(other).begin : order_.nodes().size();
    const auto obstacle = order_.obstacle(node, before);
    if (obstacle) return text_of(graph_, dataflow_, *obstacle);
    order_.move(node, before);
    return "";
  }

  const std::vector<NodeId>& nodes() const { return order_.nodes(); }

 private:
  static std::string gone(const std::string& name) {
    return "'" + printable(name) + "' is not in the step";
  }

  const Graph& graph_;
  const Dataflow& dataflow_;
  NodeNames names_;
  MovableOrder order_;
};

}  // namespace

MovedOrder with_moves(const Graph& graph, const Dataflow& dataflow, const FusedGroups& groups,
                      std::vector<NodeId> order, const std::vector<OrderMove>& moves) {
  if (moves.empty()) return {std::move(order), {}};
  Mover mover(graph, dataflow, groups, std::move(order));
  MovedOrder moved;
  for (const OrderMove& move : moves) moved.left_out.push_back(mover.make(move));
  moved.nodes = mover.nodes();
  return moved;
}

std::string text_of(const Graph& graph, const Dataflow& dataflow, const MoveObstacle& obstacle) {
  const std::string name = "'" + printable(shown_name(graph, dataflow, obstacle.node)) + "'";
  switch (obstacle.kind) {
    case MoveObstacle::Kind::producer:
      return "the node reads an output of " + name + ", which would run after the node";
    case MoveObstacle::Kind::reader:
      return "an output of the node is read by " + name + ", which would run before the node";
    default:
      return "the move would split the fused group of " + name;
  }
}

std::vector<std::string> warnings_of_moves(const StudyParts& study) {
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < study.moves_left_out.size(); ++i) {
    const std::string& why = study.moves_left_out[i];
    const auto& [node, before] = study.choices.order.moves[i];
    if (why.empty()) continue;
    const std::string where = before ? "before '" + printable(*before) + "'" : "to the end";
    warnings.push_back("the move of '" + printable(node) + "' " + where + " is left out: " + why);
  }
  return warnings;
}

bool is_moved(const StudyParts& study) {
  return std::ranges::any_of(study.moves_left_out, &std::string::empty);
}

std::string order_in_force(const Study& study) {
  return is_moved(study) ? moved_order : choice_text(study.order, planned_order);
}

MovableOrder movable_order(const Study& study) {
  const Variant& current = *study.current;
  return {current.dataflow.topology, current.groups, current.timeline.order};
}

std::shared_ptr<const Study> without_moves(const Study& study) {
  Choices choices = study.choices;
  choices.order.moves.clear();
  return compute_study(study.model, choices, &study, Progress());
}

}  // namespace stashscope
