#pragma once

#include "ui/panels/history/history_model.h"
#include "ui/widgets/table_view.h"

namespace stashscope::ui {

/// The table of the user's choices. A click or Return on a row goes back or forward to its choice.
/// The menu of a row compares its choice with the current one.
class HistoryPanel : public QWidget {
  Q_OBJECT

 public:
  explicit HistoryPanel(Document& document, QWidget* parent = nullptr);

 Q_SIGNALS:
  /// Requests to compare the current choices with others.
  /// @param name the name of the other choices in the table
  void comparison_wanted(const stashscope::Choices& choices, const QString& name);

 private:
  void add_comparison();
  void go_to(const QModelIndex& index);
  void show_current();

  Document& document_;
  HistoryModel model_;
  TableView* table_;
};

}  // namespace stashscope::ui
