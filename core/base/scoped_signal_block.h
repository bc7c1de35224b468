#pragma once

#include <csignal>

namespace stashscope {

/// Holds all signals back from this thread, and from threads and processes that it starts
/// meanwhile, until the end of a scope.
class ScopedSignalBlock {
 public:
  ScopedSignalBlock() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~ScopedSignalBlock() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  ScopedSignalBlock(const ScopedSignalBlock&) = delete;
  ScopedSignalBlock& operator=(const ScopedSignalBlock&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace stashscope
