#pragma once

#include <QLabel>

namespace stashscope::ui {

/// A line of plain text. If it does not fit, a shorter form of it is shown; the shortest form is
/// elided in the middle.
class ElidedLabel : public QLabel {
  Q_OBJECT

 public:
  using QLabel::QLabel;

  /// @param longest_first the whole text, which is also the label's text, then shorter forms
  void set_forms(const QStringList& longest_first);
  /// The form that the label shows at its width, before it is elided.
  QString shown_form() const;

  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QStringList shorter_;  ///< shorter forms of the text, longest first
};

}  // namespace stashscope::ui
