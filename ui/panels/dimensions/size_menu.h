#pragma once

#include <QMenu>

#include "ui/document/document.h"

namespace stashscope::ui {

/// The sizes of the model, each with an entry that leads to its field.
class SizeMenu : public QMenu {
  Q_OBJECT

 public:
  explicit SizeMenu(Document& document, QWidget* parent = nullptr);

 Q_SIGNALS:
  /// The user wants to set the size of this dimension.
  void size_wanted(const QString& dimension);

 private:
  void fill();

  Document& document_;
};

}  // namespace stashscope::ui
