#pragma once

#include <QDialog>
#include <QLabel>
#include <QPushButton>
#include <QTextBrowser>
#include <QUrl>
#include <functional>
#include <optional>
#include <vector>

namespace stashscope::ui {

/// Shows documents of the program inside the window, so that reading them needs no browser. Links
/// lead from page to page, and Back returns to where the reader was.
class DocumentDialog : public QDialog {
  Q_OBJECT

 public:
  struct Text {
    QString title;
    QString markdown;
    QString name;  ///< name of the document's file, to which links lead, such as `pytorch.md`
    QString file;  ///< path of the same document for a browser; empty: there is none
  };
  /// Returns the page of that name; nothing if the program does not carry such a page.
  using FindPage = std::function<std::optional<Text>(const QString& name)>;

  DocumentDialog(const Text& text, FindPage find_page, QWidget* parent = nullptr);

  /// The title of the page that the dialog was opened with.
  const QString& first_title() const { return first_title_; }
  /// Returns to the page that the dialog was opened with.
  void return_to_first();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Place {
    Text text;
    int scrolled = 0;
  };

  QWidget* make_buttons();
  int width_of_code() const;
  void show_page(const Text& text);
  void style_page();
  void follow(const QUrl& link);
  void go_to(const Text& text, const QString& heading);
  bool scroll_to(const QString& heading);
  void go_back();
  void open_outside(const QUrl& url);
  void say_where(const QString& path);

  FindPage find_page_;
  QString first_title_;
  Text text_;
  std::vector<Place> places_;  ///< where the reader was before
  QTextBrowser* page_;
  QLabel* failure_;
  QPushButton* back_;
  QPushButton* browse_;
};

}  // namespace stashscope::ui
