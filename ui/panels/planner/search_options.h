#pragma once

#include <QComboBox>
#include <QSpinBox>

#include "core/study/search/budget.h"

namespace stashscope::ui {

/// Options of a search: granularity of plans, time limit and seed. The seed is rarely needed, so
/// the owner decides where to place its box.
class SearchOptions : public QWidget {
  Q_OBJECT

 public:
  explicit SearchOptions(QWidget* parent = nullptr);

  PlanGranularity grain() const;
  /// What the chosen granularity means, and how its plans are exported.
  QString hint() const;
  SearchLimit limit() const;
  QSpinBox* seed() { return seed_; }

 Q_SIGNALS:
  void grain_changed();

 private:
  QComboBox* grain_;
  QSpinBox* seconds_;
  QSpinBox* seed_;
};

}  // namespace stashscope::ui
