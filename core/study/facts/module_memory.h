#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/study/facts/tensor_homes.h"

namespace stashscope {

/// The memory and the time of one module in the current step.
struct ModuleMemory {
  std::string module;  ///< name such as `model.layers.0.self_attn`
  /// Whether other rows count modules inside this module. This row then counts only the nodes and
  /// tensors outside of these inner modules.
  bool is_rest = false;
  std::int64_t peak_bytes = 0;     ///< bytes of the module's tensors that are alive at the peak
  std::int64_t stashed_bytes = 0;  ///< bytes of the module's activations that backward reads
  double seconds = 0;              ///< time of the module's nodes, recomputation included
  std::string symbolic;            ///< `peak_bytes` as a formula of the model's dimensions
  /// Only in the row of `memory_outside`: the operators outside of all modules, each once, in the
  /// order of the step.
  std::vector<std::string> operators = {};
  /// The part of `peak_bytes` that is stashed at the peak. Mostly less than `stashed_bytes`: some
  /// stashed tensors are not alive at the peak, and backward may have written its own tensors over
  /// others.
  std::int64_t stashed_at_peak = 0;
};

/// Which modules have rows.
enum class ModuleLevel : std::uint8_t {
  innermost,  ///< each node belongs to its innermost module
  layers,     ///< each node belongs to the numbered module around it, such as `h.11`, if any
};

/// One row for each module that has nodes or tensors. `block_of` names the modules. The rows are
/// sorted by descending bytes at the peak; rows with equal bytes are in the order of the graph.
/// Nodes outside of all modules are left out. memory_tree.h states to which module a tensor
/// belongs.
/// @param homes the tensor homes of the current variant
std::vector<ModuleMemory> module_memory(const Study& study, const TensorHomes& homes,
                                        ModuleLevel level = ModuleLevel::innermost);
std::vector<ModuleMemory> module_memory(const Study& study);

/// The part of the step that lies in no module: tensors and nodes outside of all modules, and the
/// workspace at the peak. The rows of `modules` and this row add up to the peak.
/// @param modules the result of `module_memory` for these homes
ModuleMemory memory_outside(const Study& study, const TensorHomes& homes,
                            const std::vector<ModuleMemory>& modules);

}  // namespace stashscope
