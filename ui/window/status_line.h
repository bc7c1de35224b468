#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QStatusBar>
#include <QTimer>
#include <QToolButton>

#include "ui/document/planning.h"

namespace stashscope::ui {

/// Shows the peak without plans and with the current choices, the reserved memory if an allocator
/// is chosen, and the extra time. After a search for the largest size that fits, shows this size;
/// after a run, the measured peak. If a computation takes longer than 1 s, shows its progress; if
/// longer than 2.5 s, also a button that cancels it.
class StatusLine : public QStatusBar {
  Q_OBJECT

 public:
  StatusLine(Document& document, Planning& planning, QWidget* parent = nullptr);

 Q_SIGNALS:
  void notes_wanted();

 private:
  void show_answer();
  void show_progress();
  void update_notes();
  QString peak_text(const Study& study) const;
  static QString no_backward_text(const Study& study);
  static QString cost_text(const Study& study);
  QString run_text() const;

  Document& document_;
  Planning& planning_;
  QLabel* answer_;
  QLabel* stage_;
  QProgressBar* progress_;
  QToolButton* cancel_;
  QToolButton* notes_;
  QTimer notice_;
  QTimer offer_cancel_;
};

}  // namespace stashscope::ui
