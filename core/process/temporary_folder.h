#pragma once

#include <sys/types.h>

#include <filesystem>

#include "core/process/pipe.h"

namespace stashscope {

/// A folder that exists as long as this object. A child process removes the folder, even when a
/// signal kills this process.
class TemporaryFolder {
 public:
  /// Throws an input Error when no folder can be made, a run Error when no child can be started.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  Pipe lifeline_;  ///< closes when this process ends; the child waits for this
  std::filesystem::path path_;
  pid_t guard_ = -1;
};

}  // namespace stashscope
