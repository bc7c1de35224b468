#pragma once

#include <functional>
#include <string>

namespace stashscope::cpu {

/// Calls `work`. Adds the name of the node to each Error of `work`, except to a cancelled Error.
/// @param name returns the name of the node; called only after an Error
void with_node_in_errors(const std::function<std::string()>& name,
                         const std::function<void()>& work);

}  // namespace stashscope::cpu
