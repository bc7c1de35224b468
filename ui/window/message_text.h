#pragma once

#include <QTextEdit>

namespace stashscope::ui {

/// A text to be read, marked and copied, as high as it needs to be, up to a dozen lines; the rest
/// of a longer one is scrolled to. Words that are wider than the text are broken.
class MessageText : public QTextEdit {
  Q_OBJECT

 public:
  explicit MessageText(QWidget* parent = nullptr);

  void set_text(const QString& text);

  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
};

}  // namespace stashscope::ui
