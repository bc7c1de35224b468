#include "ui/models/difference_model.h"

#include <algorithm>
#include <cmath>

#include "core/study/choices/node_names.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

QString signed_text(const QString& text, bool is_negative) {
  return (is_negative ? u"−"_s : u"+"_s) + text;
}

QString bytes_difference_text(std::int64_t bytes, const ColumnUnit& unit) {
  return bytes == 0 ? u"0"_s : signed_text(bytes_text(std::abs(bytes), unit), bytes < 0);
}

QString exact_difference_text(std::int64_t bytes) {
  return bytes == 0 ? u"0"_s : signed_text(exact_bytes_text(std::abs(bytes)), bytes < 0);
}

/// A time in microseconds. All rows have this unit, so that they can be compared at a glance.
QString microseconds_text(double seconds) { return u"%1 µs"_s.arg(1e6 * seconds, 0, 'f', 1); }

bool differs_more(const StepDifference& a, const StepDifference& b) {
  const std::int64_t bytes_a = std::abs(a.bytes());
  const std::int64_t bytes_b = std::abs(b.bytes());
  return bytes_a != bytes_b ? bytes_a > bytes_b : std::abs(a.seconds()) > std::abs(b.seconds());
}

}  // namespace

DifferenceModel::DifferenceModel(QObject* parent)
    : TableModel(
          {{tr("Slot"), {}, true},
           {tr("Node"), tr("The node that runs in this slot"), false},
           {tr("Predicted"), tr("Predicted bytes alive while the node runs"), true, bytes_unit()},
           {tr("Measured"), tr("Measured bytes alive while the node ran"), true, bytes_unit()},
           {tr("Difference"), tr("Measured minus predicted bytes"), true, bytes_unit()},
           {tr("Why"), tr("The cause of the difference in bytes"), false},
           {tr("Workspace"), tr("Bytes that libraries and kernels used in addition to the tensors"),
            true, bytes_unit()},
           {tr("Predicted time"), tr("Computed from the device profile"), true, seconds_unit()},
           {tr("Measured time"), {}, true, seconds_unit()},
           {tr("Time difference"), tr("Measured minus predicted time"), true, seconds_unit()}},
          parent) {}

void DifferenceModel::set_differences(std::shared_ptr<const Study> study,
                                      std::vector<StepDifference> differences) {
  beginResetModel();
  study_ = std::move(study);
  rows_ = std::move(differences);
  std::stable_sort(rows_.begin(), rows_.end(), differs_more);
  choose_units();
  endResetModel();
}

void DifferenceModel::choose_units() {
  std::int64_t most = 0;
  std::int64_t differs = 0;
  for (const StepDifference& each : rows_) {
    most = std::max({most, each.predicted_bytes, each.measured_bytes, each.workspace_bytes});
    differs = std::max(differs, std::abs(each.bytes()));
  }
  unit_ = byte_unit(most);
  difference_unit_ = byte_unit(differs);
}

QVariant DifferenceModel::cell(int row, int column, int role) const {
  const StepDifference& each = at(row);
  switch (role) {
    case Qt::DisplayRole:
      return text(each, column);
    case Qt::ToolTipRole:
      return tool_tip(each, column);
    case sort_role:
      return number(each, column);
    case exact_role:
      return exact(each, column);
    default:
      return {};
  }
}

QString DifferenceModel::text(const StepDifference& each, int column) const {
  switch (column) {
    case Column::step:
      return QString::number(each.step + 1);
    case Column::node:
      return shown(shown_name(study_->graph(), study_->current->dataflow, each.node));
    case Column::predicted:
      return bytes_text(each.predicted_bytes, unit_);
    case Column::measured:
      return bytes_text(each.measured_bytes, unit_);
    case Column::difference:
      return bytes_difference_text(each.bytes(), difference_unit_);
    case Column::cause:
      return shown(std::string(explanation(each.cause)));
    case Column::workspace:
      return each.workspace_bytes == 0 ? u"0"_s : bytes_text(each.workspace_bytes, unit_);
    case Column::predicted_time:
      return microseconds_text(each.predicted_seconds);
    case Column::measured_time:
      return microseconds_text(each.measured_seconds);
    default:
      return signed_text(microseconds_text(std::abs(each.seconds())), each.seconds() < 0);
  }
}

QString DifferenceModel::tool_tip(const StepDifference& each, int column) const {
  switch (column) {
    case Column::node:
    case Column::cause:
      return text(each, column);
    case Column::predicted:
      return exact_bytes_text(each.predicted_bytes);
    case Column::measured:
      return exact_bytes_text(each.measured_bytes);
    case Column::difference:
      return exact_difference_text(each.bytes());
    case Column::workspace:
      return exact_bytes_text(each.workspace_bytes);
    default:
      return {};
  }
}

QVariant DifferenceModel::exact(const StepDifference& each, int column) const {
  switch (column) {
    case Column::step:
    case Column::node:
    case Column::cause:
      return {};
    case Column::difference:
      return static_cast<qlonglong>(each.bytes());
    case Column::time_difference:
      return each.seconds();
    default:
      return number(each, column);
  }
}

/// The value that a cell is sorted by. Differences are sorted by their absolute value.
QVariant DifferenceModel::number(const StepDifference& each, int column) const {
  switch (column) {
    case Column::step:
      return static_cast<qulonglong>(each.step);
    case Column::predicted:
      return static_cast<qlonglong>(each.predicted_bytes);
    case Column::measured:
      return static_cast<qlonglong>(each.measured_bytes);
    case Column::difference:
      return static_cast<qlonglong>(std::abs(each.bytes()));
    case Column::workspace:
      return static_cast<qlonglong>(each.workspace_bytes);
    case Column::predicted_time:
      return each.predicted_seconds;
    case Column::measured_time:
      return each.measured_seconds;
    case Column::time_difference:
      return std::abs(each.seconds());
    default:
      return text(each, column);
  }
}

}  // namespace stashscope::ui
