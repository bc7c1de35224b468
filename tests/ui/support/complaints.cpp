#include "tests/ui/support/complaints.h"

#include <mutex>
#include <utility>

namespace stashscope::ui::test {

namespace {

struct Complaints {
  std::mutex mutex;
  QStringList texts;
};

Complaints& complaints() {
  static Complaints all;
  return all;
}

}  // namespace

void add_complaint(const QString& text) {
  const std::lock_guard lock(complaints().mutex);
  complaints().texts.push_back(text);
}

QStringList take_complaints() {
  const std::lock_guard lock(complaints().mutex);
  return std::exchange(complaints().texts, {});
}

}  // namespace stashscope::ui::test
