#pragma once

#include <QTextEdit>

namespace stashscope::ui {

/// Read-only text that can be selected and copied. It grows to a few lines, then scrolls. Words
/// wider than the widget are broken.
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
