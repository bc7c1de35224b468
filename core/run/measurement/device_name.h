#pragma once

#include <string>

namespace stashscope {

/// Whether `device` is `cuda` or `cuda:N`, with N from 0 to 999.
bool names_cuda(const std::string& device);

/// Throws a usage Error when `device` is not `none`, `cpu`, `cuda` or `cuda:N`, N from 0 to 999.
void check_device_name(const std::string& device);

}  // namespace stashscope
