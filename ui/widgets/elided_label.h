#pragma once

#include <QLabel>

namespace stashscope::ui {

/// A line of plain text that is elided in the middle if it does not fit.
class ElidedLabel : public QLabel {
  Q_OBJECT

 public:
  using QLabel::QLabel;

  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace stashscope::ui
