#pragma once

#include <vector>

#include "core/graph/node_modules.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The node, the module and the band that each buffer of a variant belongs to.
struct TensorHomes {
  NodeModules modules;  ///< modules of the graph's nodes, shortened by `shorten_modules`
  /// For each buffer, the node that the buffer belongs to. An input or a parameter belongs
  /// to the node that reads it first. The gradient and the optimizer states of a parameter belong
  /// to the same node as the parameter. Any other tensor belongs to the node that makes it.
  /// Invalid if no node makes or reads the tensor.
  IdVector<BufferId, NodeId> node;
  IdVector<BufferId, Band> band;  ///< for the whole life, see `band_of_buffers`
  /// The bands over the life of each buffer; empty unless `add_band_spans` has added them.
  IdVector<BufferId, std::vector<BandSpan>> spans;
};

TensorHomes tensor_homes(const Study& study, const Variant& variant);

/// Adds the bands over the life of each buffer of the variant.
void add_band_spans(const Study& study, const Variant& variant, TensorHomes& homes);

}  // namespace stashscope
