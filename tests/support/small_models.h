#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace stashscope::test {

/// The names of the reference models in a folder; `none` if they are absent, because a suite of
/// tests must have a case.
inline std::vector<std::string> models_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code absent;
  const std::filesystem::path models = std::filesystem::path(STASHSCOPE_SHARED) / "models" / folder;
  for (const auto& entry : std::filesystem::directory_iterator(models, absent)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  if (names.empty()) names.push_back("none");
  return names;
}

inline std::vector<std::string> small_models() { return models_in("small"); }
inline std::vector<std::string> exported_models() { return models_in("exported"); }

/// The reference models of several folders, such as `small/lenet`.
inline std::vector<std::string> models_in_folders(const std::vector<std::string>& folders) {
  std::vector<std::string> models;
  for (const std::string& folder : folders) {
    for (const std::string& name : models_in(folder)) models.push_back(folder + "/" + name);
  }
  return models;
}

/// The name of the test of a model such as `small/lenet`: `small_lenet`.
inline std::string test_name(std::string model) {
  std::ranges::replace(model, '/', '_');
  return model;
}

}  // namespace stashscope::test
