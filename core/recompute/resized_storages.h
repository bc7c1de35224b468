#pragma once

#include <vector>

#include "core/graph/captured_step.h"

namespace stashscope {

/// The storages that Python resizes in a captured step. Sharded training frees gathered parameters
/// this way, and gathers them into the same tensors again before the backward pass.
class ResizedStorages {
 public:
  explicit ResizedStorages(const Graph& graph);
  explicit ResizedStorages(Graph&& graph) = delete;

  /// The storage that holds the tensors of `storage` when `node` starts, after all earlier resizes.
  StorageId at(StorageId storage, NodeId node) const;

  /// Whether all values made before `first` that `nodes` read are in memory when the nodes run
  /// again before `trigger`. False if, for example, such a value is a parameter that is gathered
  /// only later.
  bool has_inputs(const std::vector<NodeId>& nodes, NodeId first, NodeId trigger) const;

 private:
  /// Whether the memory of the value has been freed before `node` starts.
  bool is_freed(ValueId value, NodeId node) const;

  const Graph& graph_;
  const CapturedStep& step_;
  /// By storage: the storage that replaces it after a resize; invalid: not resized.
  IdVector<StorageId, StorageId> next_;
};

}  // namespace stashscope
