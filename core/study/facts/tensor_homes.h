#pragma once

#include "core/graph/node_modules.h"
#include "core/study/step/study.h"

namespace stashscope {

/// Where the tensors of a variant belong.
struct TensorHomes {
  NodeModules modules;  ///< of the graph's nodes
  /// By buffer, the node of the graph that it belongs to: the node that makes it; for parameters,
  /// their gradients and their optimizer states, and for inputs, the node that reads the parameter
  /// or input first. Invalid: no node reads it.
  IdVector<BufferId, NodeId> node;
  IdVector<BufferId, Band> band;
};

TensorHomes tensor_homes(const Study& study, const Variant& variant);

}  // namespace stashscope
