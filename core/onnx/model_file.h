#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "core/graph/graph.h"

namespace stashscope {

/// Reads a model file (protobuf, any opset and IR version). Constant nodes become initializers. A
/// value has the shape that the file declares until shape inference replaces it. Odd but usable
/// content gives a warning in the graph. Throws an input Error that names the file, node or tensor
/// for anything unusable. External data is checked but not read.
Graph load_model(const std::filesystem::path& path);

/// Writes `graph` as a valid model, atomically. External tensors are copied to `<path>.data`, so
/// that the two files can be moved together. Throws an input Error when the model exceeds 2 GiB,
/// when a file cannot be written, or when the tensors are read from `<path>.data` itself.
void save_model(const Graph& graph, const std::filesystem::path& path);

/// A tensor and its name, read from a tensor file such as `input_0.pb`.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};
NamedTensor load_tensor(const std::filesystem::path& path);

}  // namespace stashscope
