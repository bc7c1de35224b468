#pragma once

#include <QDialog>
#include <QLabel>
#include <QTextBrowser>

namespace stashscope::ui {

/// Shows a document of the program inside the window, so that reading it needs no browser.
class DocumentDialog : public QDialog {
  Q_OBJECT

 public:
  struct Text {
    QString title;
    QString markdown;
    QString file;  ///< the same document for a browser; empty: there is none
  };

  explicit DocumentDialog(const Text& text, QWidget* parent = nullptr);

 private:
  void open_file(const QString& file);
  void wrap_code();

  QTextBrowser* page_;
  QLabel* failure_;
};

}  // namespace stashscope::ui
