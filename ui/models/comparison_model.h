#pragma once

#include "core/study/facts/comparison.h"
#include "ui/models/table_model.h"

namespace stashscope::ui {

/// The rows of a comparison of two studies: the peak and the differences, or all rows.
class ComparisonModel : public TableModel {
  Q_OBJECT

 public:
  enum Column { group, name, left, right, difference };

  explicit ComparisonModel(QObject* parent = nullptr);

  void set_rows(std::vector<ComparisonRow> rows);
  void show_all(bool all);

 protected:
  int rows() const override { return static_cast<int>(shown_.size()); }
  QVariant cell(int row, int column, int role) const override;

 private:
  const ComparisonRow& row_at(int row) const { return shown_[static_cast<std::size_t>(row)]; }
  void choose_rows();
  static QVariant exact(const ComparisonRow& row, int column);
  QString text(int row, int column) const;
  QString tip(int row, int column) const;
  static QVariant difference_size(const ComparisonRow& row);
  bool starts_group(int row) const;

  std::vector<ComparisonRow> all_;
  std::vector<ComparisonRow> shown_;
  bool shows_all_ = false;
};

}  // namespace stashscope::ui
