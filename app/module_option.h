#pragma once

#include <string>
#include <vector>

#include "core/study/files/loaded_model.h"

namespace stashscope::app {

/// Switches on the recompute plans for the outputs of modules (option `--recompute-module`). Throws
/// a usage Error if a name matches no module, or only modules without plans, or if the nodes have
/// no unique names to switch the plans on by.
/// @param modules paths or parts of paths: `layers.3.self_attn` in `model.layers.3.self_attn`
void recompute_modules(const std::vector<std::string>& modules, LoadedModel& loaded);

}  // namespace stashscope::app
