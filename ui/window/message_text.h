#pragma once

#include <QTextEdit>

namespace stashscope::ui {

/// A read-only text that can be selected and copied. The widget grows up to 3 lines; a longer text
/// scrolls. A word wider than the widget is broken.
class MessageText : public QTextEdit {
  Q_OBJECT

 public:
  explicit MessageText(QWidget* parent = nullptr);

  void set_text(const QString& text);

  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  int text_height(int width) const;
  int most_height() const;
  void choose_scroll_bar();
};

}  // namespace stashscope::ui
