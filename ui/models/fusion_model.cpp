#include "ui/models/fusion_model.h"

#include "core/schedule/fusion/fusions.h"
#include "ui/text/texts.h"
#include "ui/theme/style.h"

namespace stashscope::ui {

FusionModel::FusionModel(QObject* parent)
    : TableModel({{tr("Fusion"), tr("How pointwise nodes are fused"), false},
                  {tr("Groups"), tr("Number of groups of fused nodes"), true},
                  {tr("Nodes"), tr("Number of nodes in all groups"), true},
                  {tr("Peak"), tr("Most bytes alive in any slot of the current order"), true,
                   bytes_unit()},
                  {tr("Change"), tr("Difference from the peak with the current fusion"), true}},
                 parent) {}

void FusionModel::set_study(std::shared_ptr<const Study> study) {
  const bool has_rows = study != nullptr && study->order && !study->graph().data().captured;
  const bool resets = has_rows == rows_.empty();
  if (resets) beginResetModel();
  study_ = std::move(study);
  is_waiting_ = has_rows;
  if (resets) {
    rows_.clear();
    for (const FusionStrategy& each : fusion_strategies()) {
      if (has_rows)
        rows_.push_back({std::string(each.name), std::string(each.description), 0, 0, {}});
    }
    endResetModel();
  }
  for (FusionRow& row : rows_) row.peak_bytes.reset();
  cells_changed();
}

void FusionModel::set_rows(std::vector<FusionRow> rows) {
  is_waiting_ = false;
  if (rows.size() == rows_.size()) rows_ = std::move(rows);
  unit_ = own_byte_unit(study_ == nullptr ? 0 : study_->current->timeline.peak_bytes);
  cells_changed();
}

QVariant FusionModel::cell(int row, int column, int role) const {
  const FusionRow& fusion = at(row);
  switch (role) {
    case Qt::DisplayRole:
      return text(fusion, column);
    case Qt::ToolTipRole:
      return tool_tip(fusion, column);
    case Qt::CheckStateRole:
      if (column == Column::name) return is_chosen(fusion) ? Qt::Checked : Qt::Unchecked;
      return {};
    case exclusive_role:
      return true;
    case exact_role:
      if (column != Column::peak || !fusion.peak_bytes) return {};
      return static_cast<qlonglong>(*fusion.peak_bytes);
    case sort_role:
      return sort_value(fusion, column);
    default:
      return {};
  }
}

/// Sorting by the change of the peak gives the same order as sorting by the peak, so both columns
/// are sorted by the peak.
QVariant FusionModel::sort_value(const FusionRow& row, int column) {
  if (column == Column::name || !row.peak_bytes) return {};
  switch (column) {
    case Column::groups:
      return static_cast<qulonglong>(row.groups);
    case Column::nodes:
      return static_cast<qulonglong>(row.fused_nodes);
    default:
      return static_cast<qlonglong>(*row.peak_bytes);
  }
}

QString FusionModel::tool_tip(const FusionRow& row, int column) {
  QString description = shown(row.description);
  if (column != Column::peak || !row.peak_bytes) return description;
  return exact_bytes_text(*row.peak_bytes) + QLatin1Char('\n') + description;
}

QString FusionModel::text(const FusionRow& row, int column) const {
  if (column == Column::name) return shown(row.name);
  if (!row.peak_bytes) {
    if (column != Column::peak) return {};
    return is_waiting_ ? tr("counting…") : tr("when chosen");
  }
  switch (column) {
    case Column::groups:
      return QString::number(row.groups);
    case Column::nodes:
      return QString::number(row.fused_nodes);
    case Column::peak:
      return peak_text(*row.peak_bytes, study_->current->timeline.peak_bytes, unit_);
    default:
      if (is_chosen(row)) return {};
      return change_text(study_->current->timeline.peak_bytes, *row.peak_bytes);
  }
}

}  // namespace stashscope::ui
