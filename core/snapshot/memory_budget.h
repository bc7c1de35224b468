#pragma once

#include <cstdint>

#include "core/base/error.h"

namespace stashscope {

/// The memory that may still be used to read a file. A small file can describe a large value.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::int64_t bytes) : left_(bytes) {}

  /// Throws an input Error if the file needs more than its budget.
  void take(std::size_t bytes) {
    left_ -= static_cast<std::int64_t>(bytes);
    if (left_ < 0) fail();
  }

 private:
  [[noreturn]] static void fail() {
    fail_input("", "needs too much memory to be read",
               "record fewer events with the argument max_entries of "
               "torch.cuda.memory._record_memory_history");
  }

  std::int64_t left_;
};

}  // namespace stashscope
