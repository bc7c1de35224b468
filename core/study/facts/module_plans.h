#pragma once

#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// The plans for the outputs of one module, one per node.
struct ModulePlans {
  std::string module;     ///< name such as `model.layers.0.self_attn`
  std::size_t plans = 0;  ///< number of nodes with a plan that runs nodes again
  std::size_t on = 0;     ///< number of these nodes that have an applied plan
  /// Sum of the savings of all nodes that have a plan, each with its plan from `best_plans`.
  std::int64_t saving_bytes = 0;

  friend bool operator==(const ModulePlans&, const ModulePlans&) = default;
};

/// Every module whose outputs have plans, by descending saving. `block_of` names the modules. Nodes
/// outside of all modules are left out.
std::vector<ModulePlans> module_plans(const Study& study);

}  // namespace stashscope
