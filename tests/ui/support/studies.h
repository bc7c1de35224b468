#pragma once

#include "core/study/files/loaded_model.h"
#include "ui/models/plan_tree_model.h"

namespace stashscope::ui::test {

inline std::shared_ptr<const Study> study_of(const QString& path, const Choices& choices = {}) {
  const LoadedModel loaded = load_model_or_session(path.toStdString(), nullptr);
  return compute_study(loaded.model, choices, nullptr, Progress());
}

/// Plans, their occurrences and tensors without plans.
inline void visit_all(const PlanTreeModel& model, const QModelIndex& parent,
                      const std::function<void(const QModelIndex&)>& visit) {
  for (int row = 0; row < model.rowCount(parent); ++row) {
    const QModelIndex index = model.index(row, 0, parent);
    visit(index);
    visit_all(model, index, visit);
  }
}

}  // namespace stashscope::ui::test
