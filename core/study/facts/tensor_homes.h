#pragma once

#include <vector>

#include "core/graph/node_modules.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The node, the module and the band that each buffer of a variant belongs to.
struct TensorHomes {
  NodeModules modules;  ///< modules of the graph's nodes, shortened by `shorten_modules`
  IdVector<BufferId, NodeId> node;                  ///< see `home_nodes`
  IdVector<BufferId, Band> band;                    ///< for the whole life, see `band_of_buffers`
  IdVector<BufferId, std::vector<BandSpan>> spans;  ///< over the life, see `band_spans`
};

/// For each buffer, the node that the buffer belongs to. An input or a parameter belongs to the
/// node that reads it first. The gradient and the optimizer states of a parameter belong to the
/// same node as the parameter. Any other tensor belongs to the node that makes it. Invalid if no
/// node makes or reads the tensor.
IdVector<BufferId, NodeId> home_nodes(const Study& study, const Variant& variant);

TensorHomes tensor_homes(const Study& study, const Variant& variant);

}  // namespace stashscope
