#pragma once

#include <optional>

#include "core/snapshot/memory_snapshot.h"
#include "core/study/facts/tensor_homes.h"

namespace stashscope {

/// The stack, the module and the kind of each buffer of the current step, as ids of names in a
/// snapshot. Stack and module are those of the node that the buffer belongs to (`home_nodes`).
class BufferPlaces {
 public:
  struct Place {
    SnapshotStackId stack = {};
    SnapshotTextId module = {};  ///< invalid outside of modules
    SnapshotTextId kind = {};
  };

  /// Holds references to its arguments.
  BufferPlaces(const Study& study, SnapshotNames& names);

  const Place& of(BufferId buffer);
  /// The place of workspace that the node in a slot uses.
  Place of_workspace(std::size_t slot);

 private:
  Place place_of(NodeId node, std::string_view kind);
  /// The source line of a node, or else that of its forward node. Null if neither is known.
  const NodeOrigin* origin_of(NodeId node) const;

  const Study& study_;
  SnapshotNames& names_;
  TensorHomes homes_;
  IdVector<BufferId, std::optional<Place>> places_;
};

}  // namespace stashscope
