#pragma once

#include "core/schedule/fusion/legal_range.h"
#include "ui/models/study_model.h"

namespace stashscope::ui {

/// The slots of the current order: the node that runs, the bytes alive and the node's group.
class StepModel : public StudyModel {
  Q_OBJECT

 public:
  enum Column { step, node, op, live, group };
  /// Item role of the bytes alive as a share of the peak, from 0 to 1.
  static constexpr int share_role = Qt::UserRole + 1;

  explicit StepModel(QObject* parent = nullptr);

  NodeId node_at(int row) const {
    return study().current->timeline.order[static_cast<std::size_t>(row)];
  }

 protected:
  bool same_rows(const Study& a, const Study& b) const override { return rows_of(a) == rows_of(b); }
  int rows_of(const Study& study) const override {
    return static_cast<int>(study.current->timeline.order.size());
  }
  QVariant cell(int row, int column, int role) const override;

 private:
  std::int64_t live_bytes(int row) const {
    return study().current->timeline.live_bytes[static_cast<std::size_t>(row)];
  }
  QString text(int row, int column) const;
  QString tool_tip(int row, int column) const;
  bool is_moved(NodeId node) const;
};

/// The name under which the screen shows a node of the current step.
QString node_text(const Study& study, NodeId node);

/// The name of a node without its module path, for sentences.
QString short_node_text(const Study& study, NodeId node);

/// Why a node cannot move directly before a slot, as one clause.
QString obstacle_text(const Study& study, const MoveObstacle& obstacle);

}  // namespace stashscope::ui
