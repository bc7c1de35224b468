#pragma once

#include <QSortFilterProxyModel>

namespace stashscope::ui {

class PlanTreeModel;

/// Sorts the plans by any column. Shows the rows that have the filter's text in any column, and all
/// ancestors and descendants of these rows. Tensors without a plan stay at the end.
class PlanFilter : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  explicit PlanFilter(PlanTreeModel& plans, QObject* parent = nullptr);

  /// Sets the filter's text; case does not matter. An empty text shows everything.
  void look_for(const QString& text);
  const QString& text() const { return text_; }
  /// Whether the row of the item has the text in any column. Rows below the item are not searched.
  bool has_text(const QModelIndex& index) const;

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  bool source_has_text(const QModelIndex& index) const;

  PlanTreeModel& plans_;
  QString text_;
};

}  // namespace stashscope::ui
