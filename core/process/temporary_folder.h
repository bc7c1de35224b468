#pragma once

#include <sys/types.h>

#include <filesystem>

#include "core/process/pipe.h"

namespace stashscope {

/// A folder that goes with this object, or with this process: a child waits for the end of either,
/// whatever signal brings it, and removes the folder.
class TemporaryFolder {
 public:
  /// Throws an input Error when no folder can be made, a run Error when no child can.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  Pipe lifeline_;  ///< the child reads, and meets the end of the pipe as this process ends
  std::filesystem::path path_;
  pid_t guard_ = -1;
};

}  // namespace stashscope
