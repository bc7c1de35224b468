#include "ui/jobs/exclusive_work.h"

namespace stashscope::ui {

QString ExclusiveWork::why_wait() const {
  switch (current_) {
    case HeavyWork::run:
      return tr("Waits for the run to end");
    case HeavyWork::search:
      return tr("Waits for the search to end");
    default:
      return {};
  }
}

void ExclusiveWork::begin(HeavyWork work) {
  current_ = work;
  Q_EMIT changed();
}

void ExclusiveWork::end() {
  current_ = HeavyWork::none;
  Q_EMIT changed();
}

}  // namespace stashscope::ui
