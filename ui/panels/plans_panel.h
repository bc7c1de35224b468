#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSortFilterProxyModel>

#include "ui/document/document.h"
#include "ui/models/plan_model.h"
#include "ui/panels/table_view.h"

namespace stashscope::ui {

/// What can be recomputed or put away, to be switched on and off.
class PlansPanel : public QWidget {
  Q_OBJECT

 public:
  explicit PlansPanel(Document& document, QWidget* parent = nullptr);

  void copy_config() const;

 private:
  QWidget* make_top_row();
  QWidget* make_bottom_row();
  void set_up_table();
  void show_study();
  void show_summary();
  void choose_level(int level);
  void select_row(const QModelIndex& current);

  Document& document_;
  PlanModel model_;
  QSortFilterProxyModel sorted_;
  QComboBox* level_;
  QLineEdit* filter_;
  TableView* table_;
  QLabel* summary_;
};

}  // namespace stashscope::ui
