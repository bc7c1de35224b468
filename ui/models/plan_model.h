#pragma once

#include "ui/models/study_model.h"

namespace stashscope::ui {

/// The plan rows of a study. Ticking a row or changing its count asks for an edit by a signal; the
/// new state arrives with the next study.
class PlanModel : public StudyModel {
  Q_OBJECT

 public:
  enum Column { plan, frequency, count, saving, at_peak, symbolic };

  explicit PlanModel(QObject* parent = nullptr);

  /// First what the reference's table lists, then what only our own strategies offer.
  const PlanRow& plan_row(int row) const;

  /// Whether rows of our own strategies are listed though none of them is on.
  void list_extensions(bool wanted);

  Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;

 Q_SIGNALS:
  void switch_wanted(int row, bool on);
  void count_wanted(int row, int count);

 protected:
  bool same_rows(const Study& a, const Study& b) const override;
  int rows_of(const Study& study) const override;
  QVariant cell(int row, int column, int role) const override;

 private:
  bool lists_extensions(const Study& study) const;
  static QString plan_text(const PlanRow& row);
  static QString tool_tip(const PlanRow& row, int column);
  QVariant text(const PlanRow& row, int column) const;
  QVariant number(const PlanRow& row, int column) const;

  bool extensions_wanted_ = false;
};

/// Why a study without plans has none, for a user who wants to know.
QString no_plans_text(const Study& study);

}  // namespace stashscope::ui
