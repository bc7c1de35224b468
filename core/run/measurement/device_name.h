#pragma once

#include <string>

namespace stashscope {

/// Whether `device` is spelled `cuda` or `cuda:N`.
bool names_cuda(const std::string& device);

/// Throws a usage Error when `device` is not spelled `none`, `cpu`, `cuda` or `cuda:N`.
void check_device_name(const std::string& device);

}  // namespace stashscope
