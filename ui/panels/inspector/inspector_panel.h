#pragma once

#include <QTextBrowser>

#include "ui/document/document.h"

namespace stashscope::ui {

/// Shows details of the selected node or group. Links in the text select other nodes or open Python
/// files.
class InspectorPanel : public QWidget {
  Q_OBJECT

 public:
  explicit InspectorPanel(Document& document, QWidget* parent = nullptr);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void show_selection();
  void follow(const QUrl& link);
  void open_source(const QUrl& link);

  Document& document_;
  QTextBrowser* page_;
};

}  // namespace stashscope::ui
