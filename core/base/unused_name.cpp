#include "core/base/unused_name.h"

namespace stashscope {

std::string unused_name(const std::string& name, std::unordered_set<std::string>& taken) {
  std::string candidate = name;
  for (int i = 1; !taken.insert(candidate).second; ++i) candidate = name + "_" + std::to_string(i);
  return candidate;
}

}  // namespace stashscope
