#include "ui/models/module_model.h"

#include <algorithm>

#include "core/base/text.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

ModuleModel::ModuleModel(QObject* parent)
    : TableModel({{tr("Module"), tr("Module of the program that makes or owns the tensors"), false},
                  {tr("At peak"), tr("Bytes of the module's tensors alive at the peak"), true,
                   bytes_unit()},
                  {tr("Stashed"), tr("Bytes of the module's activations read by backward"), true,
                   bytes_unit()},
                  {tr("Time"), tr("Time of the module's nodes, recomputation included"), true,
                   seconds_unit()},
                  {tr("Symbolic"), tr("Bytes at the peak as a formula of the dimensions"), false}},
                 parent) {}

void ModuleModel::set_modules(std::vector<ModuleMemory> modules, std::int64_t peak_bytes) {
  beginResetModel();
  modules_ = std::move(modules);
  peak_bytes_ = peak_bytes;
  bytes_unit_ = byte_unit(modules_.empty() ? 0 : modules_.front().peak_bytes);
  double longest = 0;
  for (const ModuleMemory& each : modules_) longest = std::max(longest, each.seconds);
  time_unit_ = time_unit(longest);
  endResetModel();
}

QVariant ModuleModel::cell(int row, int column, int role) const {
  if (role == Qt::DisplayRole) return text(module_of(row), column);
  if (role == Qt::ToolTipRole) return tool_tip(module_of(row), column);
  if (role == exact_role) return exact(module_of(row), column);
  return {};
}

QVariant ModuleModel::exact(const ModuleMemory& row, int column) {
  switch (column) {
    case Column::at_peak:
      return static_cast<qlonglong>(row.peak_bytes);
    case Column::stashed:
      return static_cast<qlonglong>(row.stashed_bytes);
    case Column::time:
      return row.seconds;
    default:
      return {};
  }
}

QString ModuleModel::text(const ModuleMemory& row, int column) const {
  switch (column) {
    case Column::module:
      return row.is_rest ? tr("%1 (rest)").arg(shown(row.module)) : shown(row.module);
    case Column::at_peak:
      return bytes_text(row.peak_bytes, bytes_unit_);
    case Column::stashed:
      return bytes_text(row.stashed_bytes, bytes_unit_);
    case Column::time:
      return time_text(row.seconds, time_unit_);
    default:
      return shown(row.symbolic);
  }
}

QString ModuleModel::tool_tip(const ModuleMemory& row, int column) const {
  if (column == Column::module && row.is_rest) {
    return tr("What %1 holds outside of the modules in other rows").arg(shown(row.module));
  }
  if (column == Column::stashed) return exact_bytes_text(row.stashed_bytes);
  if (column != Column::at_peak || peak_bytes_ == 0) return text(row, column);
  const double share = 100 * static_cast<double>(row.peak_bytes) / static_cast<double>(peak_bytes_);
  return tr("%1, %2 % of the peak")
      .arg(exact_bytes_text(row.peak_bytes), QString::fromStdString(format_fixed(share, 1)));
}

}  // namespace stashscope::ui
