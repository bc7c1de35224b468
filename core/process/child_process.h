#pragma once

#include <sys/types.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "core/process/deadline.h"

namespace stashscope {

/// A child process that is killed when this object is destroyed, and when its parent ends for any
/// reason. Must be started and waited for on the same thread.
class ChildProcess {
 public:
  /// Throws a run Error when the program cannot be started.
  /// @param arguments without the program's name
  /// @param streams standard input, output and errors
  ChildProcess(const std::filesystem::path& program, const std::vector<std::string>& arguments,
               const std::array<int, 3>& streams);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Waits until the child ends. Returns the exit status as a shell reports it: 128 + signal for a
  /// crash. Throws as `Deadline::check` does.
  int wait(const Deadline& deadline);

 private:
  void end();

  pid_t id_ = -1;
};

}  // namespace stashscope
