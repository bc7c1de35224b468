#pragma once

#include <string>
#include <vector>

#include "core/study/facts/tensor_homes.h"

namespace stashscope {

/// The memory and the time of one module in the current step.
struct ModuleMemory {
  std::string module;  ///< name such as `model.layers.0.self_attn`
  /// Whether other rows are modules inside this module. This row then counts only the rest of it.
  bool is_rest = false;
  std::int64_t peak_bytes = 0;     ///< bytes of the module's tensors that are alive at the peak
  std::int64_t stashed_bytes = 0;  ///< bytes of the module's activations that backward reads
  double seconds = 0;              ///< time of the module's nodes, recomputation included
  std::string symbolic;            ///< `peak_bytes` in the model's dimension names
};

/// Every module with nodes or tensors, by descending bytes at the peak and then in the order of the
/// step. `block_of` names the modules. Nodes outside of all modules are left out.
/// See memory_tree.h for the module of a tensor.
/// @param homes the tensor homes of the current variant
std::vector<ModuleMemory> module_memory(const Study& study, const TensorHomes& homes);
std::vector<ModuleMemory> module_memory(const Study& study);

}  // namespace stashscope
