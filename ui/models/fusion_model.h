#pragma once

#include "core/base/units.h"
#include "ui/models/study_model.h"

namespace stashscope::ui {

/// The fusion strategies and their effects. Computing the effects takes long, so `set_rows`
/// supplies them later.
class FusionModel : public TableModel {
  Q_OBJECT

 public:
  enum Column { name, groups, nodes, peak, change };

  explicit FusionModel(QObject* parent = nullptr);

  /// Null empties the table, and so does a study with a planned order or of a captured step,
  /// because nothing is fused there. For any other study, the table shows `counting…` until
  /// `set_rows` is called.
  void set_study(std::shared_ptr<const Study> study);
  /// @param rows all rows of the current study
  void set_rows(std::vector<FusionRow> rows);

  const FusionRow& fusion_row(int row) const { return at(first_row(row)); }

 protected:
  int rows() const override { return static_cast<int>(rows_.size()); }
  QVariant cell(int row, int column, int role) const override;

 private:
  const FusionRow& at(int row) const { return rows_[static_cast<std::size_t>(row)]; }
  static QVariant sort_value(const FusionRow& row, int column);
  QString text(const FusionRow& row, int column) const;
  static QString tool_tip(const FusionRow& row, int column);
  bool is_chosen(const FusionRow& row) const {
    return row.name == choice_text(study_->choices.fusion.strategy, no_fusion);
  }

  std::shared_ptr<const Study> study_;
  std::vector<FusionRow> rows_;
  ColumnUnit unit_;
  bool is_waiting_ = false;
};

}  // namespace stashscope::ui
