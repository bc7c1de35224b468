#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  Expr bytes;                          ///< bytes that PyTorch allocates for the storage
  std::int64_t bytes_as_captured = 0;  ///< `bytes` at the sizes of the capture
  CapturedRole role = CapturedRole::other;
  /// Whether the storage holds an optimizer state that takes the place of one from before the
  /// step. Such a storage adds no memory to later steps.
  bool replaces_state = false;
  ValueId root;  ///< the first value in the storage
  NodeId last;   ///< the last node during which the storage lives; invalid: it outlives the step
  /// The last node during which the storage lives if autograd saves nothing; invalid: it outlives
  /// the step.
  NodeId python_last;
};
using StorageId = Id<struct StorageTag>;

/// A tensor that autograd saved for the derivative of a forward node.
struct SavedTensor {
  NodeId node;  ///< the forward node; invalid: not known
  StorageId storage;
  NodeId unpacked;  ///< the first node after the tensor was unpacked; invalid: never unpacked
  /// The last node that runs before the derivative that unpacked the tensor returns.
  NodeId used;
  /// The last node during which autograd holds the tensor; invalid: autograd still holds it at the
  /// end of the step.
  NodeId released;
  /// Whether the tensor is an output of the node. Then autograd saved the tensor after the node
  /// ran.
  bool is_result = false;
  /// Whether the tensor holds a number of Python that PyTorch wrapped into a tensor. The hooks of a
  /// checkpoint do not see such a tensor, so autograd saves it even in a module with a checkpoint.
  bool is_number = false;
};

/// A call of a module in the forward pass.
struct ModuleCall {
  std::string module;                ///< the module's name in the model; empty: the model itself
  NodeId first;                      ///< the first node of the call
  std::size_t nodes = 0;             ///< number of nodes of the call
  std::vector<StorageId> arguments;  ///< storages of the tensors among the call's arguments

  bool has(NodeId node) const {
    return node.index() >= first.index() && node.index() < first.index() + nodes;
  }
};

/// A named dimension on which sizes in a captured step depend.
struct CapturedDimension {
  SymbolId symbol;
  std::int64_t value = 0;  ///< the size that was captured
  std::int64_t step = 1;   ///< the step's polynomials hold only for sizes that differ from `value`
                           ///< by a multiple of `step`
};

/// Facts about a step that PyTorch ran, in addition to its graph. (docs/captured_step.md)
struct CapturedStep {
  std::string torch;    ///< the version of PyTorch
  std::string device;   ///< the device of the tensors, such as `cpu`
  std::string tensors;  ///< `fake` (without data) or `real`
  std::vector<CapturedDimension> dimensions;
  IdVector<NodeId, CapturedPhase> phases;
  /// FLOPs by PyTorch's formula for the node's operator; nullopt if PyTorch has no formula for it.
  IdVector<NodeId, std::optional<Expr>> flops;
  IdVector<NodeId, Expr> workspace;         ///< bytes that the kernel allocates and frees
  IdVector<ValueId, StorageId> storage_of;  ///< valid for every value
  IdVector<StorageId, CapturedStorage> storages;
  /// In the order of their nodes. Empty if the file does not list them; then the step has no plans.
  std::vector<SavedTensor> saved;
  std::vector<ModuleCall> calls;  ///< in the order in which the calls begin: an outer call precedes
                                  ///< the calls inside it

  CapturedRole role_of(ValueId value) const { return storages[storage_of[value]].role; }
  bool is_root(ValueId value) const { return storages[storage_of[value]].root == value; }
  bool has_optimizer() const {
    return std::ranges::find(phases, CapturedPhase::optimizer) != phases.end();
  }
  /// The number of nodes up to and including the last node of the backward pass; all nodes if there
  /// is no backward pass.
  std::size_t nodes_until_update() const {
    for (std::size_t count = phases.size(); count > 0; --count) {
      const CapturedPhase phase = phases[NodeId(count - 1)];
      if (phase == CapturedPhase::backward || phase == CapturedPhase::recompute) return count;
    }
    return phases.size();
  }
};

}  // namespace stashscope
