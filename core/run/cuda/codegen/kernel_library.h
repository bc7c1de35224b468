#pragma once

#include <string>

namespace stashscope::cuda {

/// The text of all files of kernels/, in an order that satisfies their dependencies. It is compiled
/// in front of the calls' entry functions.
const std::string& kernel_library();

}  // namespace stashscope::cuda
