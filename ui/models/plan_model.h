#pragma once

#include "ui/models/study_model.h"

namespace stashscope::ui {

/// The plan rows of a study. Ticking a row or changing its count asks for an edit by a signal; the
/// new state arrives with the next study.
class PlanModel : public StudyModel {
  Q_OBJECT

 public:
  enum Column { plan, frequency, count, saving, symbolic };

  explicit PlanModel(QObject* parent = nullptr);

  const PlanRow& plan_row(int row) const { return study().plans[static_cast<std::size_t>(row)]; }

  Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;

 Q_SIGNALS:
  void switch_wanted(int row, bool on);
  void count_wanted(int row, int count);

 protected:
  bool same_rows(const Study& a, const Study& b) const override;
  int rows_of(const Study& study) const override { return static_cast<int>(study.plans.size()); }
  QVariant cell(int row, int column, int role) const override;

 private:
  QVariant text(const PlanRow& row, int column) const;
  QVariant number(const PlanRow& row, int column) const;
};

/// Why a study without plans has none, for a user who wants to know.
QString no_plans_text(const Study& study);

}  // namespace stashscope::ui
