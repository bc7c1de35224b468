#pragma once

#include <memory>
#include <vector>

#include "core/base/units.h"
#include "core/study/measured/measured_difference.h"
#include "ui/models/table_model.h"

namespace stashscope::ui {

/// Compares a run with its prediction, slot by slot. The rows are sorted by difference of bytes,
/// then by difference of time, largest first.
class DifferenceModel : public TableModel {
  Q_OBJECT

 public:
  enum Column {
    step,
    node,
    predicted,
    measured,
    difference,
    cause,
    workspace,
    predicted_time,
    measured_time,
    time_difference
  };

  explicit DifferenceModel(QObject* parent = nullptr);

  /// @param study null if there are no differences
  /// @param differences differences between prediction and run of the study's current variant
  void set_differences(std::shared_ptr<const Study> study, std::vector<StepDifference> differences);
  const StepDifference& row(int row) const { return at(first_row(row)); }

 protected:
  int rows() const override { return static_cast<int>(rows_.size()); }
  QVariant cell(int row, int column, int role) const override;

 private:
  const StepDifference& at(int row) const { return rows_[static_cast<std::size_t>(row)]; }
  void choose_units();
  QString text(const StepDifference& each, int column) const;
  QString tool_tip(const StepDifference& each, int column) const;
  QVariant number(const StepDifference& each, int column) const;
  QVariant exact(const StepDifference& each, int column) const;

  std::shared_ptr<const Study> study_;
  std::vector<StepDifference> rows_;
  ColumnUnit unit_;             ///< unit of predicted and measured bytes and of workspaces
  ColumnUnit difference_unit_;  ///< unit of differences of bytes
};

}  // namespace stashscope::ui
