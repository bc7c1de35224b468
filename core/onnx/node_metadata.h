#pragma once

#include <onnx/onnx_pb.h>

#include <memory>

#include "core/graph/node_origin.h"

namespace stashscope {

/// Reads the origin that PyTorch's exporter (torch.onnx.export with dynamo=True) writes into the
/// metadata of a node: `pkg.torch.onnx.name_scopes`, a list of module names in Python's notation,
/// and `pkg.torch.onnx.stack_trace`. Null if the node has neither, or neither can be read.
std::shared_ptr<const NodeOrigin> read_origin(const onnx::NodeProto& proto);

/// Writes an origin into the metadata of a node, in the notation that `read_origin` reads.
void write_origin(const NodeOrigin& origin, onnx::NodeProto& proto);

/// Gives a node of an inlined function the origin of the call, unless the node has its own.
void inherit_origin(const onnx::NodeProto& call, onnx::NodeProto& node);

}  // namespace stashscope
