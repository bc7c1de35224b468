#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace stashscope::test {

/// The number of open files of this process.
inline std::size_t open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// The number of children of this process, zombies included.
inline std::size_t children() {
  std::ifstream list("/proc/thread-self/children");
  std::size_t count = 0;
  for (std::string id; list >> id;) ++count;
  return count;
}

/// Writes an executable shell script.
inline std::filesystem::path script(const std::filesystem::path& path, const std::string& lines) {
  std::ofstream(path) << "#!/bin/sh\n" << lines << "\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

}  // namespace stashscope::test
