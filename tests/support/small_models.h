#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace stashscope::test {

/// The names of the small reference models; `none` if they are absent, because a suite of tests
/// must have a case.
inline std::vector<std::string> small_models() {
  std::vector<std::string> names;
  std::error_code absent;
  for (const auto& entry :
       std::filesystem::directory_iterator(STASHSCOPE_SHARED "/models/small", absent)) {
    names.push_back(entry.path().filename().string());
  }
  if (names.empty()) names.push_back("none");
  return names;
}

}  // namespace stashscope::test
