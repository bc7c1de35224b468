#pragma once

#include <algorithm>
#include <cstdint>

#include "core/graph/graph.h"

namespace stashscope {

/// The part of a step in which PyTorch ran a node.
enum class CapturedPhase : std::uint8_t {
  forward,
  recompute,  ///< a forward node that runs once more during backward
  backward,
  optimizer
};

/// What a storage is for.
enum class CapturedRole : std::uint8_t {
  parameter,
  buffer,  ///< of a module, such as running statistics
  input,
  gradient,
  optimizer_state,
  other
};

/// A block of memory of PyTorch's allocator. Views and new versions of a tensor share it.
struct CapturedStorage {
  Expr bytes;  ///< what PyTorch allocates
  CapturedRole role = CapturedRole::other;
  ValueId root;  ///< the first value in it
  NodeId last;   ///< the last node during which it lives; invalid: it outlives the step
};
using StorageId = Id<struct StorageTag>;

/// What is known of a step that PyTorch ran, besides its graph. (docs/captured_step.md)
struct CapturedStep {
  std::string torch;    ///< the version of PyTorch
  std::string device;   ///< of the tensors, such as `cpu`
  std::string tensors;  ///< `fake` or `real`
  IdVector<NodeId, CapturedPhase> phases;
  IdVector<ValueId, StorageId> storage_of;  ///< valid for every value
  IdVector<StorageId, CapturedStorage> storages;

  CapturedRole role_of(ValueId value) const { return storages[storage_of[value]].role; }
  bool is_root(ValueId value) const { return storages[storage_of[value]].root == value; }
  bool has_optimizer() const {
    return std::ranges::find(phases, CapturedPhase::optimizer) != phases.end();
  }
  /// The number of nodes up to the last one of the backward pass; all nodes if there is none.
  std::size_t nodes_until_update() const {
    for (std::size_t count = phases.size(); count > 0; --count) {
      const CapturedPhase phase = phases[NodeId(count - 1)];
      if (phase == CapturedPhase::backward || phase == CapturedPhase::recompute) return count;
    }
    return phases.size();
  }
};

}  // namespace stashscope
