#include "app/process_start.h"

#include <execinfo.h>

#include <csignal>

namespace stashscope::app {

void prepare_process() {
  // With a handler, writes fail with an error. Child processes get the default action, unlike with
  // SIG_IGN.
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, [](int) {});
  // Loads the unwinder while there is memory: the C library loads it at the first use and aborts if
  // loading fails.
  void* frame = nullptr;
  ::backtrace(&frame, 1);
}

}  // namespace stashscope::app
