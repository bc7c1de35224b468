#pragma once

#include <optional>
#include <vector>

#include "core/memory/fusion.h"

namespace stashscope {

/// Why nodes cannot run directly in front of a step.
struct MoveObstacle {
  enum class Kind : std::uint8_t {
    producer,  ///< it makes what they read
    reader,    ///< it reads what they make
    group      ///< its group would be parted
  };
  Kind kind = Kind::producer;
  NodeId node;
  ValueId value;         ///< what is read; invalid for a group
  std::size_t step = 0;  ///< of that node
};

/// The steps at which a node, or the first member of its group, can run while all others keep their
/// order. Steps at which it would stand inside another group are among them.
struct LegalRange {
  std::size_t first = 0;
  std::size_t last = 0;
  std::optional<MoveObstacle> producer;  ///< why not before; nothing: it may be the first
  std::optional<MoveObstacle> reader;    ///< why not behind; nothing: it may be the last
};

/// A valid order whose nodes are moved one by one. The members of a group stay together and move as
/// one.
class MovableOrder {
 public:
  /// Refers to topology and groups. @param order every node once, producers before readers, the
  /// members of a group side by side
  MovableOrder(const Topology& topology, const FusedGroups& groups, std::vector<NodeId> order);
  MovableOrder(const Topology& topology, FusedGroups&& groups, std::vector<NodeId> order) = delete;

  const std::vector<NodeId>& nodes() const { return order_; }
  std::size_t step_of(NodeId node) const { return step_of_[node]; }

  struct Steps {
    std::size_t begin = 0;
    std::size_t end = 0;  ///< behind the last
    std::size_t count() const { return end - begin; }
  };
  /// Those of a node, or of all members of its group.
  Steps steps_of(NodeId node) const;

  LegalRange range(NodeId node) const;

  /// What keeps a node, with its group, from running directly in front of a step; nothing where it
  /// stays in its place. @param before a step, or their number for the end
  std::optional<MoveObstacle> obstacle(NodeId node, std::size_t before) const;

  /// The step to move in front of so that the node, or the first member of its group, runs at
  /// `step`.
  std::size_t in_front_of(NodeId node, std::size_t step) const;

  /// @pre nothing is in the way
  void move(NodeId node, std::size_t before);

 private:
  /// Of the producers that members have among other nodes, the one that runs last.
  std::optional<MoveObstacle> last_producer(const Steps& moved) const;
  std::optional<MoveObstacle> first_reader(const Steps& moved) const;

  const Topology& topology_;
  const FusedGroups& groups_;
  std::vector<NodeId> order_;
  IdVector<NodeId, std::size_t> step_of_;
};

}  // namespace stashscope
