#include "ui/models/module_model.h"

#include <algorithm>
#include <iterator>

#include "core/base/text.h"
#include "core/study/facts/memory_tree.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// Maximum number of operators in the tool tip of the row for tensors outside of all modules.
constexpr qsizetype most_operators = 12;

}  // namespace

ModuleModel::ModuleModel(QObject* parent)
    : TableModel({{tr("Module"), tr("The module that makes or owns the tensors"), false},
                  {tr("At peak"), tr("Bytes of the module's tensors alive at the peak"), true,
                   bytes_unit()},
                  {tr("Stashed"),
                   tr("Bytes of the module's activations that wait for backward at the peak"), true,
                   bytes_unit()},
                  {tr("Time"), tr("Time of the module's nodes, recomputation included"), true,
                   seconds_unit()},
                  {tr("Symbolic"), tr("Bytes at the peak as a formula of the dimensions"), false}},
                 parent) {}

void ModuleModel::set_modules(std::vector<ModuleGroup> groups, std::int64_t peak_bytes,
                              SizeWords words) {
  beginResetModel();
  groups_ = std::move(groups);
  words_ = std::move(words);
  peak_bytes_ = peak_bytes;
  bytes_unit_ = byte_unit(groups_.empty() ? 0 : groups_.front().sum.peak_bytes);
  double longest = 0;
  for (const ModuleGroup& each : groups_) longest = std::max(longest, each.sum.seconds);
  time_unit_ = time_unit(longest);
  list_rows();
  endResetModel();
}

void ModuleModel::list_rows() {
  rows_.clear();
  for (const ModuleGroup& group : groups_) {
    rows_.push_back({&group.sum, group.modules.size()});
    if (group.modules.size() == 1 || !is_open(rows_.back())) continue;
    for (const ModuleMemory& each : group.modules) rows_.push_back({&each, 0});
  }
}

void ModuleModel::set_open(int row, bool open) {
  if (is_open(row) == open) return;
  const int count = static_cast<int>(row_at(row).count);
  if (open) {
    open_.insert(key_of(at(row)));
  } else {
    open_.erase(key_of(at(row)));
  }
  Q_EMIT dataChanged(index(row, 0), index(row, 0));
  const auto change = [this] { list_rows(); };
  open ? insert_below(row, count, change) : remove_below(row, count, change);
}

/// Moves the modules of an open sum directly below the row of the sum.
std::vector<int> ModuleModel::arranged(const std::vector<int>& order) const {
  std::vector<int> sum_of(rows_.size());
  std::vector<std::vector<int>> members(rows_.size());
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    sum_of[row] = rows_[row].count > 0 ? static_cast<int>(row) : sum_of[row - 1];
  }
  for (const int row : order) {
    const int sum = sum_of[static_cast<std::size_t>(row)];
    if (sum != row) members[static_cast<std::size_t>(sum)].push_back(row);
  }
  std::vector<int> arranged;
  for (const int row : order) {
    if (sum_of[static_cast<std::size_t>(row)] != row) continue;
    arranged.push_back(row);
    std::ranges::copy(members[static_cast<std::size_t>(row)], std::back_inserter(arranged));
  }
  return arranged;
}

QVariant ModuleModel::cell(int row, int column, int role) const {
  const Row& shown_row = rows_[static_cast<std::size_t>(row)];
  if (role == Qt::DisplayRole) return text(shown_row, column);
  if (role == Qt::ToolTipRole) return tool_tip(shown_row, column);
  if (column != Column::module) {
    return role == exact_role ? exact(*shown_row.module, column) : QVariant();
  }
  if (role == exact_role) return plain_name(shown_row);
  if (role == Qt::AccessibleTextRole) return spoken_text(shown_row);
  if (role == sort_role) return shown(shown_row.module->module);
  return {};
}

QVariant ModuleModel::exact(const ModuleMemory& row, int column) {
  switch (column) {
    case Column::at_peak:
      return static_cast<qlonglong>(row.peak_bytes);
    case Column::stashed:
      return static_cast<qlonglong>(row.stashed_at_peak);
    case Column::time:
      return row.seconds;
    case Column::symbolic:
      return shown(row.symbolic);
    default:
      return {};
  }
}

QString ModuleModel::plain_name(const Row& row) const {
  QString name = shown(row.module->module);
  if (row.count > 1) name = tr("%1 × %2").arg(row.count).arg(name);
  return row.module->is_rest ? tr("%1 (rest)").arg(name) : name;
}

/// The row of a sum has a name such as `▸ 12 × h.*.attn`, whose mark tells whether the row is open.
QString ModuleModel::name_text(const Row& row) const {
  if (row.count > 1) return (is_open(row) ? u"▾ "_s : u"▸ "_s) + plain_name(row);
  return row.count == 0 ? u"    "_s + plain_name(row) : plain_name(row);
}

QString ModuleModel::spoken_text(const Row& row) const {
  if (row.count <= 1) return plain_name(row);
  return (is_open(row) ? tr("%1, open") : tr("%1, closed")).arg(plain_name(row));
}

QString ModuleModel::text(const Row& row, int column) const {
  switch (column) {
    case Column::module:
      return name_text(row);
    case Column::at_peak:
      return bytes_text(row.module->peak_bytes, bytes_unit_);
    case Column::stashed:
      return bytes_text(row.module->stashed_at_peak, bytes_unit_);
    case Column::time:
      return time_text(row.module->seconds, time_unit_);
    default:
      return formula(*row.module);
  }
}

QString ModuleModel::formula(const ModuleMemory& row) const {
  return shown(in_words(row.symbolic, words_));
}

/// The tool tip of the row for tensors outside of all modules. It names the operators that make
/// these tensors.
QString ModuleModel::outside_tip(const ModuleMemory& row) {
  QStringList names;
  for (const std::string& each : row.operators) names << shown(each);
  QString tip =
      tr("Tensors of operators that belong to no module, and the workspace of the node at "
         "the peak");
  if (names.isEmpty()) return tip;
  const qsizetype more = names.size() - most_operators;
  const QString listed = names.mid(0, most_operators).join(u", "_s);
  return tip + u'\n' +
         (more > 0 ? tr("The operators: %1 and %2 more").arg(listed).arg(more)
                   : tr("The operators: %1").arg(listed));
}

QString ModuleModel::tool_tip(const Row& shown_row, int column) const {
  const ModuleMemory& row = *shown_row.module;
  if (column == Column::module && row.module == outside_of_modules) return outside_tip(row);
  if (column == Column::module && row.is_rest) {
    return tr("Tensors and nodes of %1 that are counted in no other row").arg(shown(row.module));
  }
  if (column == Column::module && shown_row.count > 1) {
    return tr("The sum over %1 modules whose names differ only in numbers. The keys Right and Left "
              "open and close the row.")
        .arg(shown_row.count);
  }
  if (column == Column::stashed) return exact_bytes_text(row.stashed_at_peak);
  if (column == Column::symbolic) return formula(row) + u"\n= "_s + shown(row.symbolic);
  if (column != Column::at_peak || peak_bytes_ == 0) return text(shown_row, column);
  const double share = 100 * static_cast<double>(row.peak_bytes) / static_cast<double>(peak_bytes_);
  return tr("%1, %2 % of the peak")
      .arg(exact_bytes_text(row.peak_bytes), QString::fromStdString(format_fixed(share, 1)));
}

}  // namespace stashscope::ui
