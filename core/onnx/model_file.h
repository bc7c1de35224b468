#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "core/graph/graph.h"

namespace stashscope {

/// Reads a model file (protobuf, any opset; IR version 3 or newer). Constant nodes become
/// initializers; declared shapes are kept as the values' types until inference replaces them. What
/// is odd but usable is said in the graph's warnings. Throws an input Error that names the file,
/// node or tensor for everything else. External data is checked but not read.
Graph load_model(const std::filesystem::path& path);

/// Writes `graph` as a valid model, atomically. Tensors that lie outside of the model file are
/// copied to `<path>.data`, so that the pair can be moved. Throws an input Error when it cannot be
/// written, or when that file is where the tensors are read from.
void save_model(const Graph& graph, const std::filesystem::path& path);

/// A single tensor file (`input_0.pb` and the like) with the name it carries.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};
NamedTensor load_tensor(const std::filesystem::path& path);

}  // namespace stashscope
