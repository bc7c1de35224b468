#pragma once

#include <QDialog>

namespace stashscope::ui {

/// Versions of the program and of its components, one per line.
QString versions_text();

/// Shows what the program is, and its version. Deletes itself when closed.
class AboutBox : public QDialog {
  Q_OBJECT

 public:
  explicit AboutBox(QWidget* parent);
};

}  // namespace stashscope::ui
