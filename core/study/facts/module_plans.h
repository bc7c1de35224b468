#pragma once

#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// The plans for the outputs of one module, one per node.
struct ModulePlans {
  std::string module;             ///< `model.layers.0.self_attn`
  std::size_t plans = 0;          ///< nodes with a plan that ONNX Runtime knows
  std::size_t on = 0;             ///< nodes of these with a plan that is carried out
  std::int64_t saving_bytes = 0;  ///< of each node's plan that saves most

  friend bool operator==(const ModulePlans&, const ModulePlans&) = default;
};

/// Every module whose outputs have plans, by descending saving. A module is named down to one level
/// below the innermost numbered one: `model.layers.0.self_attn` also stands for its projections.
/// Nodes outside of all modules are left out.
std::vector<ModulePlans> module_plans(const Study& study);

}  // namespace stashscope
