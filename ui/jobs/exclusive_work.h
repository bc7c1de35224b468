#pragma once

#include <QObject>

namespace stashscope::ui {

/// What wants all processors.
enum class HeavyWork { none, run, search };

/// Runs and searches take turns: beside a search a run measures times that are too long, and what a
/// search finds is of no use once a run has measured other times.
class ExclusiveWork : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  HeavyWork current() const { return current_; }
  /// Why a run or a search cannot begin now; empty when it can.
  QString why_wait() const;

  /// @pre nothing has its turn
  void begin(HeavyWork work);
  void end();

 Q_SIGNALS:
  void changed();

 private:
  HeavyWork current_ = HeavyWork::none;
};

}  // namespace stashscope::ui
