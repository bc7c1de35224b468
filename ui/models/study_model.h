#pragma once

#include "core/study/study.h"
#include "ui/models/table_model.h"

namespace stashscope::ui {

/// A table about one study after the other. Where the next one has the same rows, only the cells
/// change, so that selection and scrolling stay.
class StudyModel : public TableModel {
 public:
  /// Null empties the table.
  void set_study(std::shared_ptr<const Study> study);

 protected:
  using TableModel::TableModel;

  virtual bool same_rows(const Study& a, const Study& b) const = 0;
  virtual int rows_of(const Study& study) const = 0;

  int rows() const final { return study_ == nullptr ? 0 : rows_of(*study_); }
  const Study& study() const { return *study_; }

 private:
  std::shared_ptr<const Study> study_;
};

}  // namespace stashscope::ui
