#pragma once

#include <string>
#include <unordered_set>

namespace stashscope {

/// `name` if it is free, else the first free name of `name_1`, `name_2`, ... Adds the result to
/// `taken`.
std::string unused_name(const std::string& name, std::unordered_set<std::string>& taken);

}  // namespace stashscope
