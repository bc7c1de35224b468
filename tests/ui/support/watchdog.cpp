#include "tests/ui/support/watchdog.h"

#include <QEvent>
#include <QMetaEnum>
#include <QThread>
#include <ctime>

#include "tests/support/sanitizer.h"

namespace stashscope::ui::test {

namespace {

std::string described(const QString& name, const char* class_name, QEvent::Type type) {
  const char* const key = QMetaEnum::fromType<QEvent::Type>().valueToKey(type);
  return std::string(key == nullptr ? "event" : key) + " of " + class_name + " " +
         name.toStdString();
}

}  // namespace

double thread_milliseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

bool WatchedApplication::notify(QObject* receiver, QEvent* event) {
  if (depth_ > 0 || QThread::currentThread() != thread()) {
    return QApplication::notify(receiver, event);
  }
  // The event may delete its receiver.
  const QString name = receiver->objectName();
  const char* const class_name = receiver->metaObject()->className();
  const QEvent::Type type = event->type();
  const double before = thread_milliseconds();
  ++depth_;
  const bool handled = QApplication::notify(receiver, event);
  --depth_;
  const double took = thread_milliseconds() - before;
  if (took > longest_.milliseconds) longest_ = {took, described(name, class_name, type)};
  return handled;
}

bool times_are_real() {
#if defined(__OPTIMIZE__)
  return !stashscope::test::sanitized;
#else
  return false;
#endif
}

}  // namespace stashscope::ui::test
