#pragma once

#include <QToolButton>

#include "ui/document/document.h"
#include "ui/models/edit_model.h"
#include "ui/widgets/table_view.h"

namespace stashscope::ui {

/// A table of the user's moves of nodes and edits of groups. The user can remove one edit or all.
class OrderEditsPage : public QWidget {
  Q_OBJECT

 public:
  explicit OrderEditsPage(Document& document, QWidget* parent = nullptr);

 Q_SIGNALS:
  void count_changed(int edits);

 private:
  void show_study();
  void remove();
  void remove_all();

  Document& document_;
  EditModel model_;
  TableView* table_;
  QToolButton* remove_all_;
};

}  // namespace stashscope::ui
