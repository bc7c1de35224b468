// The column that says how the peak changes if the tick of a row is changed.

#include <QScrollBar>

#include "ui/panels/plans/plans_panel.h"

namespace stashscope::ui {

namespace {

/// If the tree has more plans than this, only the rows in view are tried, because trying a row
/// takes as long as changing its tick.
constexpr std::size_t most_rows_out_of_view = 256;

}  // namespace

void PlansPanel::set_up_peak_changes() {
  peak_changes_ = new PeakChangesJob(
      document_, [this] { return rows_to_try(); }, this);
  connect(peak_changes_, &PeakChangesJob::found, &model_, &PlanTreeModel::add_peak_changes);
  const auto go_on = [this] { peak_changes_->go_on(); };
  connect(tree_->verticalScrollBar(), &QScrollBar::valueChanged, this, go_on);
  connect(tree_, &QTreeView::expanded, this, go_on);
  connect(&model_, &QAbstractItemModel::modelReset, this, go_on);
}

/// The rows without a known change: those in view, then the others if the tree is not too long.
PeakChangesJob::Rows PlansPanel::rows_to_try() const {
  PeakChangesJob::Rows rows;
  // While a model is being opened, the tree still has the rows of the previous model.
  if (!tree_->isVisible() || model_.study() != document_.study()) return rows;
  const auto add = [&](const std::vector<const PlanRow*>& more) {
    for (const PlanRow* const row : more) {
      if (!model_.knows_peak_change(*row)) rows.push_back(row);
    }
  };
  for (const QModelIndex& row : tree_->rows_in_view()) {
    add(model_.plans_of(filtered_.mapToSource(row)));
  }
  const std::vector<const PlanRow*> all = model_.listed();
  if (all.size() <= most_rows_out_of_view) add(all);
  return rows;
}

void PlansPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  peak_changes_->go_on();
}

}  // namespace stashscope::ui
