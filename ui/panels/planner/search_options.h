#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QSpinBox>

#include "core/study/search/budget.h"

namespace stashscope::ui {

/// Fields for the options of a search: granularity of plans, time limit and seed. The field of the
/// seed is not laid out with the other fields, because the user rarely needs it. The owner of this
/// widget places it.
class SearchOptions : public QWidget {
  Q_OBJECT

 public:
  explicit SearchOptions(QWidget* parent = nullptr);

  PlanGranularity grain() const;
  /// The granularity for searches that only make plans: `cluster` instead of `joint`.
  PlanGranularity grain_of_plans() const;
  /// Whether a joint search may choose what changes the results of a step.
  bool may_change_results() const;
  /// Offers only plans of whole modules for a captured step.
  void set_captured(bool is_captured);
  /// What the chosen granularity means, and how plans of this granularity are exported.
  QString hint() const;
  SearchLimit limit() const;
  QSpinBox* seed() { return seed_; }

 Q_SIGNALS:
  void question_changed();  ///< the granularity, or what a joint search may choose

 private:
  void show_tip();
  void describe(int item, const QString& hint, const QString& tip);

  QComboBox* grain_;
  QCheckBox* lossy_;  ///< visible for the granularity `joint`
  QSpinBox* seconds_;
  QSpinBox* seed_;
};

}  // namespace stashscope::ui
