#pragma once

#include <QObject>

#include "ui/jobs/failure.h"

namespace stashscope::ui {

/// Messages to the user. Panels and jobs add them here; the window shows them.
class Notices : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /// Something went well, or needs no action.
  void notify(const QString& message) { Q_EMIT noticed(message); }
  /// Something that the user asked for could not be done.
  void report(const Failure& failure) { Q_EMIT failed(failure); }

 Q_SIGNALS:
  void noticed(const QString& message);
  void failed(const stashscope::ui::Failure& failure);
};

}  // namespace stashscope::ui
