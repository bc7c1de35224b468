#pragma once

#include <QLabel>

namespace stashscope::ui {

/// A line of plain text that loses its middle when there is no room for all of it.
class ElidedLabel : public QLabel {
  Q_OBJECT

 public:
  using QLabel::QLabel;

  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace stashscope::ui
