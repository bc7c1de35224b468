#pragma once

#include <QTimer>
#include <optional>

#include "core/study/step/moved_order.h"
#include "ui/widgets/table_view.h"

namespace stashscope::ui {

/// A table of the slots of an order. The user moves a node together with its group, by dragging or
/// by keys. The view requests a legal move by a signal. If a move is not legal, the view says why.
class StepsView : public TableView {
  Q_OBJECT

 public:
  explicit StepsView(QWidget* parent = nullptr);

  /// To be called when the table model shows another study (null: no study). Ends a drag.
  void set_study(std::shared_ptr<const Study> study);
  bool is_dragging() const { return drag_.has_value(); }

  /// Moves the current row's node, with its group, past the previous (-1) or the next (1) node or
  /// group.
  void move_by_one(int direction);
  /// Moves the current row's node, or its whole group, so that the first moved node runs in slot
  /// `step`, counted from 0.
  void move_to(std::size_t step);
  /// The range of slots in which the current row's node can run; nothing without a current row.
  std::optional<LegalRange> current_range() const;
  NodeId current_node() const;

 Q_SIGNALS:
  /// Requests a move. @param before the node that follows the moved node or its group; invalid: the
  /// move is to the end of the order
  void move_wanted(stashscope::NodeId node, stashscope::NodeId before);
  /// Reports the target of a drag, or why a move is refused. `text` is empty after a cancelled
  /// drag.
  void told(const QString& text, bool is_refusal);

 protected:
  bool event(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Drag {
    NodeId node;
    std::size_t before = 0;  ///< slot before which the node would be dropped
    std::optional<MoveObstacle> obstacle;
  };

  NodeId node_at(int row) const;
  /// The slot before which a node is inserted if the user drops the node at height `y` of the
  /// viewport.
  std::size_t step_below(int y) const;
  int top_of(std::size_t step) const;
  void drag_to(QPoint position);
  void scroll_along();
  void end_drag();
  void tell_target();
  /// Requests the move, or reports why the move is refused. A move to the same place does nothing.
  void try_move(NodeId node, std::size_t before);
  void paint_targets(QPainter& painter) const;

  std::shared_ptr<const Study> study_;
  std::optional<MovableOrder> order_;
  std::optional<Drag> drag_;
  NodeId pressed_;
  QPoint pressed_at_;
  QPoint pointer_;
  QTimer scroll_;
};

}  // namespace stashscope::ui
