#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QStatusBar>
#include <QTimer>
#include <QToolButton>

#include "ui/document/planning.h"

namespace stashscope::ui {

/// Answers the user's question at any moment: the peak before and after, what it costs, what fits
/// (once it was asked), how well the prediction held. Shows progress after a second and offers to
/// cancel after two and a half.
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
