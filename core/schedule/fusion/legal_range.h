#pragma once

#include <optional>
#include <vector>

#include "core/memory/fusion.h"

namespace stashscope {

/// Why nodes cannot move directly before a slot.
struct MoveObstacle {
  enum class Kind : std::uint8_t {
    producer,  ///< `node` makes a value that the moved nodes read
    reader,    ///< `node` reads a value that the moved nodes make
    group      ///< the move would split the group of `node`
  };
  Kind kind = Kind::producer;
  NodeId node;
  ValueId value;         ///< the value read; invalid for `group`
  std::size_t step = 0;  ///< slot of `node`
};

/// The slots in which a node, or the first member of its group, can run while all other nodes keep
/// their order. Includes slots inside other groups.
struct LegalRange {
  std::size_t first = 0;
  std::size_t last = 0;
  std::optional<MoveObstacle> producer;  ///< obstacle to an earlier slot; empty if `first` is 0
  std::optional<MoveObstacle>
      reader;  ///< obstacle to any later slot; empty if the node may also run last
};

/// A valid order whose nodes can be moved one at a time. The members of a group stay adjacent and
/// move together.
class MovableOrder {
 public:
  /// Holds references to topology and groups.
  /// @param order every node once, producers before readers, the members of a group adjacent
  MovableOrder(const Topology& topology, const FusedGroups& groups, std::vector<NodeId> order);
  MovableOrder(const Topology& topology, FusedGroups&& groups, std::vector<NodeId> order) = delete;

  const std::vector<NodeId>& nodes() const { return order_; }
  std::size_t step_of(NodeId node) const { return step_of_[node]; }

  struct Steps {
    std::size_t begin = 0;
    std::size_t end = 0;  ///< the slot after the last slot
    std::size_t count() const { return end - begin; }
  };
  /// The slots of a node, or of all members of its group.
  Steps steps_of(NodeId node) const;

  LegalRange range(NodeId node) const;

  /// The obstacle to moving a node, with its group, directly before a slot; empty if the move is
  /// valid or changes nothing.
  /// @param before a slot, or the number of nodes for the end
  std::optional<MoveObstacle> obstacle(NodeId node, std::size_t before) const;

  /// The argument `before` of `move` that makes the node, or the first member of its group, run in
  /// slot `step`.
  std::size_t in_front_of(NodeId node, std::size_t step) const;

  /// Moves a node, with its group, directly before a slot. @pre obstacle(node, before) is empty
  void move(NodeId node, std::size_t before);

 private:
  /// The last producer outside `moved` that one of the moved nodes reads from.
  std::optional<MoveObstacle> last_producer(const Steps& moved) const;
  std::optional<MoveObstacle> first_reader(const Steps& moved) const;

  const Topology& topology_;
  const FusedGroups& groups_;
  std::vector<NodeId> order_;
  IdVector<NodeId, std::size_t> step_of_;
};

}  // namespace stashscope
