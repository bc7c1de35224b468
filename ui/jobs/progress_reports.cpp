#include "ui/jobs/progress_reports.h"

#include <chrono>

namespace stashscope::ui {

namespace {

constexpr auto least_time_between_reports = std::chrono::milliseconds(40);

}  // namespace

Progress progress_to(QObject* receiver, std::function<void(double, const QString&)> take) {
  using Clock = std::chrono::steady_clock;
  return Progress([receiver, take = std::move(take), last = Clock::time_point()](
                      double fraction, std::string_view stage) mutable {
    const Clock::time_point now = Clock::now();
    if (now - last < least_time_between_reports) return;
    last = now;
    const QString text = QString::fromUtf8(stage.data(), static_cast<qsizetype>(stage.size()));
    QMetaObject::invokeMethod(
        receiver, [take, fraction, text] { take(fraction, text); }, Qt::QueuedConnection);
  });
}

}  // namespace stashscope::ui
