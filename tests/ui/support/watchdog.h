#pragma once

#include <QApplication>
#include <string>

namespace stashscope::ui::test {

/// The test application: measures the longest time that the interface thread computed for one
/// event. Only its processor time counts, so that other programs on the machine do not matter.
class WatchedApplication : public QApplication {
 public:
  using QApplication::QApplication;

  struct Longest {
    double milliseconds = 0;
    std::string event;  ///< its type and receiver
  };

  /// Returns the longest event so far, and starts again.
  Longest take_longest() { return std::exchange(longest_, {}); }

  bool notify(QObject* receiver, QEvent* event) override;

 private:
  int depth_ = 0;
  Longest longest_;
};

/// Processor time that the calling thread has used.
double thread_milliseconds();

/// Whether times mean anything in this build: optimized and without sanitizers.
bool times_are_real();

}  // namespace stashscope::ui::test
