#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace stashscope::test {

/// How many files this process holds open.
inline std::size_t open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// How many children this process has, ended ones that nobody waited for included.
inline std::size_t children() {
  std::ifstream list("/proc/thread-self/children");
  std::size_t count = 0;
  for (std::string id; list >> id;) ++count;
  return count;
}

/// A program of some lines of shell.
inline std::filesystem::path script(const std::filesystem::path& path, const std::string& lines) {
  std::ofstream(path) << "#!/bin/sh\n" << lines << "\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

}  // namespace stashscope::test
