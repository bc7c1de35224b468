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
  // `prepare_process` replaced the default action of SIGPIPE. The default action ends the process.
  std::signal(SIGPIPE, SIG_DFL);
  // The thread inherits a mask that blocks all signals, so that the main thread alone handles or
  // blocks them.
  const ScopedSignalBlock held;
  std::thread(watch).detach();
}

}  // namespace stashscope::app
