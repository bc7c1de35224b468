#pragma once

#include <functional>
#include <string>

namespace stashscope::cpu {

/// Calls `work`. Turns each Error of `work` into a run Error that names the node, except a
/// cancelled Error. An OutOfMemory stays an OutOfMemory.
/// @param name returns the name of the node; called only after an Error
void with_node_in_errors(const std::function<std::string()>& name,
                         const std::function<void()>& work);

}  // namespace stashscope::cpu
