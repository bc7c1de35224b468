#include "ui/models/comparison_model.h"

#include <algorithm>
#include <cmath>

#include "ui/text/texts.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

namespace {

bool is_peak(const ComparisonRow& row) {
  return row.group == ComparisonGroup::memory && row.name == "peak";
}

}  // namespace

ComparisonModel::ComparisonModel(QObject* parent)
    : TableModel({{tr("Topic"), {}, false},
                  {tr("Item"), {}, false},
                  {tr("Left"), tr("The step with the solid curve"), true},
                  {tr("Right"), tr("The step with the dashed curve"), true},
                  {tr("Difference"), tr("Right side minus left side"), true}},
                 parent) {}

void ComparisonModel::set_rows(std::vector<ComparisonRow> rows) {
  all_ = std::move(rows);
  choose_rows();
}

void ComparisonModel::show_all(bool all) {
  shows_all_ = all;
  choose_rows();
}

void ComparisonModel::choose_rows() {
  beginResetModel();
  shown_.clear();
  std::copy_if(
      all_.begin(), all_.end(), std::back_inserter(shown_),
      [this](const ComparisonRow& row) { return shows_all_ || row.differs() || is_peak(row); });
  endResetModel();
}

bool ComparisonModel::starts_group(int row) const {
  return is_sorted() || row == 0 || row_at(row - 1).group != row_at(row).group;
}

QVariant ComparisonModel::cell(int row, int column, int role) const {
  switch (role) {
    case Qt::DisplayRole:
      return text(row, column);
    case Qt::ToolTipRole:
      return column == Column::group ? QVariant() : tip(row, column);
    case exact_role:
      return exact(row_at(row), column);
    case sort_role:
      return column == Column::difference ? difference_size(row_at(row)) : QVariant();
    default:
      return {};
  }
}

QVariant ComparisonModel::difference_size(const ComparisonRow& row) {
  const QVariant difference = exact(row, Column::difference);
  return difference.isValid() ? QVariant(std::abs(difference.toDouble())) : QVariant();
}

/// The exact value of a cell, for a file. Every row names its topic, because rows of a file are
/// read one by one.
QVariant ComparisonModel::exact(const ComparisonRow& row, int column) {
  const auto number = [](const std::optional<double>& value) {
    return value ? QVariant(*value) : QVariant();
  };
  switch (column) {
    case Column::group:
      return shown(std::string(title_of(row.group)));
    case Column::left:
      return number(row.left.number);
    case Column::right:
      return number(row.right.number);
    case Column::difference:
      if (!row.left.number || !row.right.number) return {};
      return *row.right.number - *row.left.number;
    default:
      return {};
  }
}

/// The cell of a plan does not have the config string, so the tool tip adds this string.
QString ComparisonModel::tip(int row, int column) const {
  const ComparisonRow& each = row_at(row);
  if (column != Column::name || each.words.empty()) return text(row, column);
  return text(row, column) + u'\n' + shown(each.name);
}

QString ComparisonModel::text(int row, int column) const {
  const ComparisonRow& each = row_at(row);
  const auto side = [](const ComparedValue& value) {
    return value.text.empty() ? u"–"_s : shown(value.text);
  };
  switch (column) {
    case Column::group:
      return starts_group(row) ? shown(std::string(title_of(each.group))) : QString();
    case Column::name:
      return shown(each.title());
    case Column::left:
      return side(each.left);
    case Column::right:
      return side(each.right);
    default:
      if (is_peak(each) && !each.differs()) return tr("the same");
      if (each.only_left()) return tr("left only");
      if (each.only_right()) return tr("right only");
      return shown(each.difference());
  }
}

}  // namespace stashscope::ui
