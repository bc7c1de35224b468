#include "app/process_start.h"

#include <execinfo.h>

#include <csignal>

namespace stashscope::app {

void prepare_process() {
  // With these handlers, a write to a closed pipe or beyond the limit on file sizes fails with an
  // error instead of ending the process. Unlike SIG_IGN, a handler is not inherited, so child
  // processes get the default action.
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, [](int) {});
  // Loads the unwinder while there is memory, because the C library would load it at the first use
  // and abort if loading fails.
  void* frame = nullptr;
  ::backtrace(&frame, 1);
}

}  // namespace stashscope::app
