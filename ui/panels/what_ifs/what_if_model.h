#pragma once

#include <vector>

#include "core/study/facts/named_sizes.h"
#include "core/study/what_if/what_if_savings.h"
#include "ui/models/table_model.h"

namespace stashscope::ui {

/// The what-ifs of a study, those that are on first, with their effects. For a what-if that is on,
/// the effect is the difference from the step without this what-if. For any other what-if, it is
/// the change of the step if this what-if is switched on.
class WhatIfModel : public TableModel {
  Q_OBJECT

 public:
  enum Column { choice, peak, time, stashed, places };

  explicit WhatIfModel(QObject* parent = nullptr);

  /// @param study the study that the rows belong to; null: none
  void show(const Study* study, std::vector<WhatIfSaving> on, std::vector<WhatIfSaving> offers);
  void clear() { show(nullptr, {}, {}); }
  /// Sets whether the rows belong to earlier choices. Old rows are pale until new ones come.
  void set_old(bool is_old);

  /// @param row a row of the table
  const WhatIfSaving& at(int row) const { return rows_[static_cast<std::size_t>(first_row(row))]; }

  QString name_at(int row) const;
  /// Whether switching the what-if on or off changes the step. The rows that would change nothing
  /// are pale; they are listed because their texts say what stops them.
  bool has_effect(int row) const { return changes_step(first_row(row)); }
  /// What the what-if does, the option for it, what it saves as a formula, and what stops it.
  QString details(int row) const;

 protected:
  int rows() const override { return static_cast<int>(rows_.size()); }
  QVariant cell(int row, int column, int role) const override;

 private:
  bool changes_step(int row) const;
  bool is_first_on(int row) const { return static_cast<std::size_t>(row) < on_; }
  QString text(int row, int column) const;
  QVariant exact(int row, int column) const;

  SizeWords words_;
  std::vector<WhatIfSaving> rows_;
  std::size_t on_ = 0;  ///< the number of rows that are on
  bool is_old_ = false;
};

}  // namespace stashscope::ui
