#pragma once

#include <QSortFilterProxyModel>

namespace stashscope::ui {

class PlanTreeModel;

/// Sorts the plans by any column, and shows those that have a text in any column, with all below
/// and above them. What has no plan stays at the end.
class PlanFilter : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  explicit PlanFilter(PlanTreeModel& plans, QObject* parent = nullptr);

  /// In any case of letters; empty: everything is shown.
  void look_for(const QString& text);
  const QString& text() const { return text_; }
  /// Whether a shown item has the text itself, not only something below it.
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
