#pragma once

#include "core/base/units.h"
#include "core/study/step/study.h"
#include "ui/models/table_model.h"

namespace stashscope::ui {

/// The text of `bytes` in the unit of a column. If `bytes` is the current peak, the text is the
/// same as in all other views.
/// @param peak the current peak
QString peak_text(std::int64_t bytes, std::int64_t peak, const ColumnUnit& unit);

/// A table about one study; `set_study` replaces the study. If the new study has the same rows,
/// only the cells change, so that selection and scrolling stay.
class StudyModel : public TableModel {
 public:
  /// Shows a study; null empties the table.
  void set_study(std::shared_ptr<const Study> study);

 protected:
  using TableModel::TableModel;

  virtual bool same_rows(const Study& a, const Study& b) const = 0;
  virtual int rows_of(const Study& study) const = 0;

  int rows() const final { return study_ == nullptr ? 0 : rows_of(*study_); }
  const Study& study() const { return *study_; }
  /// Unit and decimals of the column of bytes. All other views show the current peak with the same
  /// unit and decimals.
  const ColumnUnit& unit() const { return unit_; }

 private:
  void take(std::shared_ptr<const Study> study);

  std::shared_ptr<const Study> study_;
  ColumnUnit unit_;
};

}  // namespace stashscope::ui
