#include "core/process/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/base/error.h"
#include "core/process/pipe.h"

extern char** environ;

namespace stashscope {

namespace {

/// The code of the child between fork and exec, where only async-signal-safe calls are allowed.
struct Launch {
  const char* program;
  char* const* arguments;
  const std::array<int, 3>& streams;
  int failure;  ///< pipe that receives errno when the program cannot be started
  pid_t parent;

  [[noreturn]] void run() const {
    // The system kills the child when the thread that started it ends, even if the process of this
    // thread goes on. This does no harm, because the same thread waits for the child.
    const bool watched = ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::getppid() == parent;
    // If this process lacks a standard stream, one of these descriptors may have the number of that
    // stream, and dup2 would overwrite this descriptor.
    std::array<int, 4> lifted = {streams[0], streams[1], streams[2], failure};
    for (int& each : lifted) each = ::fcntl(each, F_DUPFD_CLOEXEC, 3);
    bool ready = watched;
    for (int i = 0; ready && i < 3; ++i) {
      ready = ::dup2(lifted[static_cast<std::size_t>(i)], i) >= 0;
    }
    if (ready) ::execve(program, arguments, environ);
    const int reason = errno;
    [[maybe_unused]] const ssize_t written = ::write(lifted[3], &reason, sizeof(reason));
    ::_exit(127);
  }
};

/// Waits until exec closes the pipe or the child reports a failed start. Returns 0, or the child's
/// errno.
int wait_for_start(Pipe& failure) {
  failure.close_writing();
  int reason = 0;
  ssize_t count = 0;
  while ((count = ::read(failure.reading(), &reason, sizeof(reason))) < 0 && errno == EINTR) {
  }
  return count == sizeof(reason) ? reason : 0;
}

}  // namespace

ChildProcess::ChildProcess(const std::filesystem::path& program,
                           const std::vector<std::string>& arguments,
                           const std::array<int, 3>& streams) {
  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  Pipe failure;
  const Launch launch{program.c_str(), argv.data(), streams, failure.writing(), ::getpid()};
  id_ = ::fork();
  if (id_ == 0) launch.run();
  const int reason = id_ < 0 ? errno : wait_for_start(failure);
  if (reason == 0) return;
  end();
  fail_run("", "cannot start '" + printable(program.string()) + "': " + std::strerror(reason),
           "install this program, or make the file executable");
}

ChildProcess::~ChildProcess() { end(); }

int ChildProcess::wait(const Deadline& deadline) {
  int status = 0;
  // A child that has closed its streams may still run.
  pid_t ended = 0;
  while ((ended = ::waitpid(id_, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
    deadline.check();
    ::poll(nullptr, 0, 1);
  }
  id_ = -1;
  // Without a status, a child counts as successful: its reader knows whether all lines arrived. A
  // process that ignores SIGCHLD gets none.
  if (ended < 0) return 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void ChildProcess::end() {
  if (id_ < 0) return;
  ::kill(id_, SIGKILL);
  while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
  id_ = -1;
}

}  // namespace stashscope
