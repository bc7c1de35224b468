#pragma once

#include "ui/panels/history/history_model.h"
#include "ui/widgets/table_view.h"

namespace stashscope::ui {

/// The table of the user's choices. A click or Return on a row goes back or forward to its choice.
class HistoryPanel : public QWidget {
  Q_OBJECT

 public:
  explicit HistoryPanel(Document& document, QWidget* parent = nullptr);

 private:
  void go_to(const QModelIndex& index);
  void show_current();

  Document& document_;
  HistoryModel model_;
  TableView* table_;
};

}  // namespace stashscope::ui
