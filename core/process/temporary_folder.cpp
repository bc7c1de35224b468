#include "core/process/temporary_folder.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/base/error.h"
#include "core/base/scoped_signal_block.h"

namespace stashscope {

namespace {

namespace fs = std::filesystem;

constexpr const char* other_place = "set TMPDIR to a folder in which you may write";

fs::path make_folder() {
  std::error_code unusable;
  const fs::path parent = fs::temp_directory_path(unusable);
  if (unusable) fail_input("the folder for temporary files", unusable.message(), other_place);
  std::string pattern = fs::absolute(parent / "stashscope-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    fail_input(printable(pattern), std::string("cannot be created: ") + std::strerror(errno),
               other_place);
  }
  return pattern;
}

/// Waits until the writing end of a pipe closes, then removes a folder. Runs in a forked child,
/// where only async-signal-safe calls are allowed.
[[noreturn]] void guard(int lifeline, const char* folder) {
  // A program that reads the parent's output sees the end of the output only when every copy of the
  // stream is closed, so this child closes its copies.
  ::dup2(lifeline, STDIN_FILENO);
  ::closefrom(STDIN_FILENO + 1);
  char nothing = 0;
  while (::read(STDIN_FILENO, &nothing, 1) < 0 && errno == EINTR) {
  }
  ::execl("/bin/rm", "rm", "-rf", "--", folder, nullptr);
  ::_exit(127);
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  // The guard process inherits the blocked signals, so it survives a signal to all processes of the
  // user.
  const ScopedSignalBlock held;
  path_ = make_folder();
  guard_ = ::fork();
  if (guard_ == 0) guard(lifeline_.reading(), path_.c_str());
  const int reason = errno;
  lifeline_.close_reading();
  if (guard_ > 0) {
    // A signal to the process group must not kill the guard.
    ::setpgid(guard_, 0);
    return;
  }
  ::rmdir(path_.c_str());
  fail_run("", std::string("cannot start a process: ") + std::strerror(reason));
}

TemporaryFolder::~TemporaryFolder() {
  lifeline_.close_writing();
  while (::waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace stashscope
