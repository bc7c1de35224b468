#pragma once

#include <QTimer>
#include <optional>

#include "core/study/step/moved_order.h"
#include "ui/widgets/table_view.h"

namespace stashscope::ui {

/// The steps of an order as rows that are moved by dragging or by keys, with the group they run in.
/// Asks for moves by a signal and says why others are refused.
class StepsView : public TableView {
  Q_OBJECT

 public:
  explicit StepsView(QWidget* parent = nullptr);

  /// To be called when the model shows another study, null for none. Ends a drag.
  void set_study(std::shared_ptr<const Study> study);
  bool is_dragging() const { return drag_.has_value(); }

  /// Moves the current row's node and its group past the one before or behind it.
  void move_by_one(int direction);
  /// Moves them so that the first runs at a step.
  void move_to(std::size_t step);
  /// What the current row's node can do; nothing without a current row.
  std::optional<LegalRange> current_range() const;
  NodeId current_node() const;

 Q_SIGNALS:
  /// @param before the node to run in front of; invalid: the end
  void move_wanted(stashscope::NodeId node, stashscope::NodeId before);
  /// What would happen here, or why it cannot.
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
    std::size_t before = 0;  ///< the step that it would be dropped in front of
    std::optional<MoveObstacle> obstacle;
  };

  NodeId node_at(int row) const;
  /// The step in front of which a height in the viewport lies.
  std::size_t step_below(int y) const;
  int top_of(std::size_t step) const;
  void drag_to(QPoint position);
  void scroll_along();
  void end_drag();
  void tell_target();
  /// Asks for the move, or says why not.
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
