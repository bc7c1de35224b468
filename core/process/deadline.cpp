#include "core/process/deadline.h"

#include "core/base/text.h"

namespace stashscope {

void Deadline::check() const {
  if (progress_.cancelled()) throw Error(ErrorKind::cancelled, "", "cancelled");
  if (!limit_ || std::chrono::steady_clock::now() - start_ <= *limit_) return;
  const auto limit = static_cast<double>(limit_->count()) / 1000;
  fail_run("", "the child process took longer than " + format_number(limit) + " s");
}

}  // namespace stashscope
