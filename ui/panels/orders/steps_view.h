#pragma once

#include <QTimer>
#include <optional>

#include "core/study/step/moved_order.h"
#include "ui/widgets/table_view.h"

namespace stashscope::ui {

/// The slots of an order as rows. A node is moved with its group, by dragging or by keys. Legal
/// moves are requested by a signal; refused moves are explained.
class StepsView : public TableView {
  Q_OBJECT

 public:
  explicit StepsView(QWidget* parent = nullptr);

  /// Call this when the model shows another study or, with null, no study. Ends a drag.
  void set_study(std::shared_ptr<const Study> study);
  bool is_dragging() const { return drag_.has_value(); }

  /// Moves the current row's node, with its group, past the previous (-1) or the next (1) node or
  /// group.
  void move_by_one(int direction);
  /// Moves the current row's node, with its group, so that its first node runs in slot `step`.
  void move_to(std::size_t step);
  /// The legal range of the current row's node; nothing without a current row.
  std::optional<LegalRange> current_range() const;
  NodeId current_node() const;

 Q_SIGNALS:
  /// @param before the node to run in front of; invalid: the end
  void move_wanted(stashscope::NodeId node, stashscope::NodeId before);
  /// The target of a drag, or why a move is refused. Empty after a cancelled drag.
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
  /// The slot before which a drop at this height of the viewport would insert.
  std::size_t step_below(int y) const;
  int top_of(std::size_t step) const;
  void drag_to(QPoint position);
  void scroll_along();
  void end_drag();
  void tell_target();
  /// Requests the move, or reports why it is refused.
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
