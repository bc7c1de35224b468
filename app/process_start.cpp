#include "app/process_start.h"

#include <execinfo.h>

#include <csignal>

namespace stashscope::app {

void prepare_process() {
  // Writes then fail with an error. Child processes get the default again, unlike with SIG_IGN.
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, [](int) {});
  // The C library loads its unwinder when a thread first needs it, and aborts if that fails.
  void* frame = nullptr;
  ::backtrace(&frame, 1);
}

}  // namespace stashscope::app
