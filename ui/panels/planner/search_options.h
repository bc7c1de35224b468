#pragma once

#include <QComboBox>
#include <QSpinBox>

#include "core/study/search/budget.h"

namespace stashscope::ui {

/// How to search: what plans are made of, for how long, from which seed. The owner gives the seed,
/// which few need, a place of its own.
class SearchOptions : public QWidget {
  Q_OBJECT

 public:
  explicit SearchOptions(QWidget* parent = nullptr);

  PlanGranularity grain() const;
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
