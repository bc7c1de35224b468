#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QStatusBar>
#include <QTimer>
#include <QToolButton>

#include "ui/document/planning.h"

namespace stashscope::ui {

/// Shows the peak before and after plans, the extra time, the largest size that fits (once it was
/// searched for) and how far a run was from the prediction. Shows progress after 1 s and a button
/// to cancel after 2.5 s.
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
