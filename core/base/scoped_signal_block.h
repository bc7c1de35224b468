#pragma once

#include <csignal>

namespace stashscope {

/// Blocks all signals in this thread until the end of a scope. Threads and processes started in
/// that scope inherit the block.
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
