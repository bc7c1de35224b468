#pragma once

#include <string>
#include <vector>

#include "core/study/files/loaded_model.h"

namespace stashscope::app {

/// Switches on the recompute plans for the outputs of modules (option `--recompute-module`). A node
/// without a recompute plan gets its compromise plan. Throws a usage Error if a name matches no
/// module, or only modules without such plans, or if the nodes have no unique names to switch the
/// plans on by.
/// @param modules paths or parts of paths, such as `layers.3.self_attn` for
/// `model.layers.3.self_attn`; `*` stands for any text
void recompute_modules(const std::vector<std::string>& modules, LoadedModel& loaded);

}  // namespace stashscope::app
