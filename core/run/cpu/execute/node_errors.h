#pragma once

#include <functional>
#include <string>

namespace stashscope::cpu {

/// Does the work. Errors of the work, except for cancelled ones, get the name of the node.
/// @param name of the node; called only after an error
void with_node_in_errors(const std::function<std::string()>& name,
                         const std::function<void()>& work);

}  // namespace stashscope::cpu
