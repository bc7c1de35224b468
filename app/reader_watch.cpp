#include "app/reader_watch.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "core/base/scoped_signal_block.h"

namespace stashscope::app {

namespace {

void watch() {
  pollfd output{STDOUT_FILENO, 0, 0};
  while (::poll(&output, 1, -1) < 0 && errno == EINTR) {
  }
  if ((output.revents & (POLLERR | POLLHUP)) != 0) ::kill(::getpid(), SIGPIPE);
}

}  // namespace

void end_with_reader() {
  // A parent process may have set the signal to be ignored, and children inherit that.
  std::signal(SIGPIPE, SIG_DFL);
  // The thread inherits a mask that blocks all signals, so that the main thread alone handles or
  // blocks them.
  const ScopedSignalBlock held;
  std::thread(watch).detach();
}

}  // namespace stashscope::app
