#pragma once

#include <QObject>

namespace stashscope::ui {

/// The kinds of long work that `ExclusiveWork` admits.
enum class HeavyWork { none, run, search };

/// Allows only one run or search at a time: a search slows a run down and so distorts its times,
/// and the new times of a run make the results of a search useless.
class ExclusiveWork : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  HeavyWork current() const { return current_; }
  /// The reason why no run or search can begin now; empty if one can begin.
  QString why_wait() const;

  /// @pre no run or search is going on
  void begin(HeavyWork work);
  void end();

 Q_SIGNALS:
  void changed();

 private:
  HeavyWork current_ = HeavyWork::none;
};

}  // namespace stashscope::ui
