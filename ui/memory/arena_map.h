#pragma once

#include <QPixmap>
#include <QWidget>
#include <optional>

#include "ui/charts/axis_drag.h"
#include "ui/memory/arena_layer.h"
#include "ui/memory/memory_frame.h"
#include "ui/pictures/picture.h"

namespace stashscope::ui {

/// Draws a static arena: slots across, offset up, each tensor as a rectangle in its colour of the
/// memory view, free memory hatched. A dashed line marks the load bound, the most bytes that are
/// alive in one slot.
///
/// The wheel zooms, dragging pans, dragging with Shift zooms to a range. A click puts the cursor on
/// a slot and selects the tensor there. The keys for slots and tensors are those of the memory
/// view: Left and Right move the cursor, Up and Down walk through the tensors at the cursor.
class ArenaMap : public QWidget, public PictureSource {
  Q_OBJECT

 public:
  explicit ArenaMap(QWidget* parent = nullptr);

  /// Shows another arena; an empty one empties the map. The visible share of the axis stays.
  void set_arena(ArenaPicture arena);
  const ArenaPicture& arena() const { return arena_; }
  /// Dims the shown arena, which is out of date, until another arena is set. Meanwhile no tensor
  /// can be chosen.
  void wait();
  bool is_waiting() const { return is_waiting_; }
  void set_colouring(MemoryLook::Colouring colouring);
  void set_cursor(std::size_t slot);
  /// Outlines a tensor; an invalid id outlines none.
  void mark(BufferId buffer);
  BufferId marked() const { return marked_; }
  void show_all();

  const StepAxis& axis() const { return axis_; }
  QRectF plot() const { return plot_; }
  /// The piece that is drawn at a point; null if there is none.
  const ArenaPiece* piece_at(QPointF point) const;
  QRectF rectangle(const ArenaPiece& piece) const;
  /// Words about what lies at a point, the most important first. Empty outside the plot.
  QStringList facts_at(QPointF point) const;

  QSize sizeHint() const override { return {640, 260}; }

  Picture picture(const QString& title) override;
  PictureData picture_data() override;
  bool has_picture() override { return !arena_.empty(); }

 Q_SIGNALS:
  void slot_clicked(std::size_t slot);
  void tensor_chosen(std::size_t slot, stashscope::BufferId buffer);
  /// The pointer moved, something else lies under it, or a key chose a slot or a tensor.
  /// @param facts about the item under the pointer, or about the outlined tensor; empty if there is
  /// none
  void pointed_at(const QStringList& facts);

 protected:
  bool event(QEvent* event) override;
  void changeEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  void add_keys();
  void lay_out();
  void redraw();
  void set_axis(const StepAxis& axis);
  MemoryFrame frame() const;
  std::int64_t top() const;
  std::size_t slot_at(double x) const;
  std::int64_t byte_at(double y) const;
  QStringList gap_facts(std::size_t slot, std::int64_t byte) const;
  const ArenaPiece* marked_piece() const;
  QStringList facts_of(const ArenaPiece& piece) const;
  void tell_marked();
  void paint_layer();
  void paint_surroundings(QPainter& painter) const;
  void paint_marks(QPainter& painter) const;
  void paint_waiting(QPainter& painter) const;
  void click(QPointF at);
  void move_cursor(std::ptrdiff_t by);
  void walk_stack(int by);

  ArenaPicture arena_;
  MemoryLook look_;
  StepAxis axis_;
  QRectF plot_;
  int axis_rows_ = 1;
  QPixmap layer_;
  bool is_stale_ = true;
  bool is_waiting_ = false;
  std::size_t cursor_ = 0;
  BufferId marked_;
  std::optional<QPointF> hovered_;
  AxisDrag drag_;
};

}  // namespace stashscope::ui
