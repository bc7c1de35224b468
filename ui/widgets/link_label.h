#pragma once

#include <QLabel>

namespace stashscope::ui {

/// Rich text with links. The links have the colour of the current theme, and a frame shows that the
/// text has the keyboard focus.
class LinkLabel : public QLabel {
  Q_OBJECT

 public:
  using QLabel::QLabel;

  /// Where a link of the first line begins, in pixels from the left edge; 0 if there is no such
  /// link.
  int left_of(const QString& link) const;
  /// Makes the label a hint beside other texts: grey, wrapped at any width, with links that the
  /// keyboard reaches, too.
  void set_hint(const QString& rich_text);

 protected:
  void changeEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace stashscope::ui
