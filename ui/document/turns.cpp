#include "ui/document/turns.h"

namespace stashscope::ui {

QString Turns::why_wait() const {
  switch (current_) {
    case HeavyWork::run:
      return tr("Waits for the run to end");
    case HeavyWork::search:
      return tr("Waits for the search to end");
    default:
      return {};
  }
}

void Turns::begin(HeavyWork work) {
  current_ = work;
  Q_EMIT changed();
}

void Turns::end() {
  current_ = HeavyWork::none;
  Q_EMIT changed();
}

}  // namespace stashscope::ui
