#pragma once

#include <QObject>

namespace stashscope::ui {

/// Work that uses all processor cores.
enum class HeavyWork { none, run, search };

/// Allows only one run or search at a time: a run beside a search measures times that are too long,
/// and a search becomes useless when a run measures new times.
class ExclusiveWork : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  HeavyWork current() const { return current_; }
  /// Why no run or search can begin now; empty when one can.
  QString why_wait() const;

  /// @pre no heavy work is going on
  void begin(HeavyWork work);
  void end();

 Q_SIGNALS:
  void changed();

 private:
  HeavyWork current_ = HeavyWork::none;
};

}  // namespace stashscope::ui
