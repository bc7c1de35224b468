#pragma once

#include <QDialog>

namespace stashscope::ui {

/// The versions of the program and of what it is made of, as text with a line for each.
QString versions_text();

/// Says what the program is and in which version. Deletes itself when closed.
class AboutBox : public QDialog {
  Q_OBJECT

 public:
  explicit AboutBox(QWidget* parent);
};

}  // namespace stashscope::ui
