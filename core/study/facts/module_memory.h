#pragma once

#include <string>
#include <vector>

#include "core/study/facts/tensor_homes.h"

namespace stashscope {

/// What one module holds and costs in the current step.
struct ModuleMemory {
  std::string module;  ///< `model.layers.0.self_attn`
  /// Other rows are modules inside this one; this row counts what none of them has.
  bool is_rest = false;
  std::int64_t peak_bytes = 0;     ///< of its tensors that are alive at the peak
  std::int64_t stashed_bytes = 0;  ///< of its activations that backward reads
  double seconds = 0;              ///< of its nodes, recomputation included
  std::string symbolic;            ///< `peak_bytes` in the model's dimension names
};

/// Every module with memory at the peak or with time, by descending bytes at the peak and then in
/// the order of the step. `block_of` names the modules. Nodes outside of all modules are left out.
/// See memory_tree.h for the module of a tensor.
/// @param homes of the current variant
std::vector<ModuleMemory> module_memory(const Study& study, const TensorHomes& homes);
std::vector<ModuleMemory> module_memory(const Study& study);

}  // namespace stashscope
