#pragma once

#include <string>

namespace stashscope::cuda {

/// The text of all files of kernels/, in an order that satisfies their dependencies. The compiler
/// sees this text before the entry functions of the calls.
const std::string& kernel_library();

}  // namespace stashscope::cuda
