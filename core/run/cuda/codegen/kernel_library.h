#pragma once

#include <string>

namespace stashscope::cuda {

/// The text of all files of kernels/, what each needs in front of it: what the entry functions of
/// calls are compiled behind.
const std::string& kernel_library();

}  // namespace stashscope::cuda
