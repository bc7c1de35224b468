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
  Expr bytes;                          ///< what PyTorch allocates
  std::int64_t bytes_as_captured = 0;  ///< `bytes` at the sizes of the capture
  CapturedRole role = CapturedRole::other;
  ValueId root;  ///< the first value in it
  NodeId last;   ///< the last node during which it lives; invalid: it outlives the step
  /// The last node during which it lives if autograd saves nothing; invalid: it outlives the step.
  NodeId python_last;
};
using StorageId = Id<struct StorageTag>;

/// A tensor that autograd saved for the derivative of a forward node.
struct SavedTensor {
  NodeId node;
  StorageId storage;
  NodeId unpacked;         ///< the first node after autograd took it out; invalid: it never did
  NodeId used;             ///< the last node of the derivative that took it out
  NodeId released;         ///< the last node during which autograd holds it
  bool is_result = false;  ///< saved after the node ran, because the node makes it
  /// A number that PyTorch wrapped into a tensor. A checkpoint does not recompute it.
  bool is_number = false;
};

/// A call of a module in the forward pass.
struct ModuleCall {
  std::string module;                ///< its name in the model; empty: the model itself
  NodeId first;                      ///< the first node of the call
  std::size_t nodes = 0;             ///< number of nodes of the call
  std::vector<StorageId> arguments;  ///< storages of the tensors among its arguments

  bool has(NodeId node) const {
    return node.index() >= first.index() && node.index() < first.index() + nodes;
  }
};

/// A named dimension of the sizes in a captured step.
struct CapturedDimension {
  SymbolId symbol;
  std::int64_t value = 0;  ///< the size that was captured
  std::int64_t step = 1;   ///< the polynomials hold for `value` plus multiples of this
};

/// What is known of a step that PyTorch ran, besides its graph. (docs/captured_step.md)
struct CapturedStep {
  std::string torch;    ///< the version of PyTorch
  std::string device;   ///< of the tensors, such as `cpu`
  std::string tensors;  ///< `fake` or `real`
  std::vector<CapturedDimension> dimensions;
  IdVector<NodeId, CapturedPhase> phases;
  IdVector<NodeId, std::optional<Expr>> flops;  ///< by PyTorch's formulas, where there is one
  IdVector<NodeId, Expr> workspace;             ///< bytes that the kernel allocates and frees
  IdVector<ValueId, StorageId> storage_of;      ///< valid for every value
  IdVector<StorageId, CapturedStorage> storages;
  /// In the order of their nodes. Empty if the file does not list them; then there are no plans.
  std::vector<SavedTensor> saved;
  std::vector<ModuleCall> calls;  ///< in the order of the calls, outer ones first

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
