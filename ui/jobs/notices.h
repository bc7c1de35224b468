#pragma once

#include <QObject>

#include "ui/jobs/failure.h"

namespace stashscope::ui {

/// Messages to the user. Panels and jobs add them here; the window shows them.
class Notices : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /// Tells the user about a success, or about a fact that needs no action.
  void notify(const QString& message) { Q_EMIT noticed(message); }
  /// Tells the user that a requested action failed.
  void report(const Failure& failure) { Q_EMIT failed(failure); }

 Q_SIGNALS:
  void noticed(const QString& message);
  void failed(const stashscope::ui::Failure& failure);
};

}  // namespace stashscope::ui
