#pragma once

#include <QPixmap>
#include <QWidget>
#include <optional>

#include "ui/charts/axis_drag.h"
#include "ui/memory/memory_frame.h"
#include "ui/memory/memory_key.h"
#include "ui/pictures/picture.h"

namespace stashscope::ui {

/// Draws live bytes over slots or over time. Shows the bands or tensors of the current step, and
/// the curves of the current step, of the step without plans, of a run and of pinned variants.
///
/// The wheel zooms, dragging pans, dragging with Shift zooms to a range. A click puts the cursor on
/// a slot and selects the tensor there. Left and Right move the cursor, with Shift by ten slots; Up
/// and Down walk through the tensors at the cursor. Home and End jump to the first and last slot, P
/// to the peak; + and - zoom, Page up and Page down pan, 0 shows the whole step. T switches between
/// bands and tensors, M between slots and milliseconds, C between the colourings of tensors.
class MemoryView : public QWidget, public PictureSource {
  Q_OBJECT

 public:
  explicit MemoryView(QWidget* parent = nullptr);

  /// Shows other curves; empty curves empty the view. The visible share of the axis stays.
  void set_curves(MemoryCurves curves);
  const MemoryCurves& curves() const { return curves_; }
  void set_look(MemoryLook look);
  const MemoryLook& look() const { return look_; }
  /// Whether the axis can show time. False if no slot of the current curve takes time.
  bool can_show_time() const;

  void set_cursor(std::size_t slot);
  void mark(BufferId buffer);
  /// A range of slots that includes `first` and `last`.
  struct SlotRange {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  /// Shows the slots in which a tensor is alive as a bar at the foot of the plot. Without slots,
  /// there is no bar.
  void show_life(std::optional<SlotRange> life);
  const std::optional<SlotRange>& life() const { return life_; }
  /// Outlines the largest tensor that the node makes, unless a tensor of this node is outlined
  /// already.
  void mark_made_by(NodeId node);
  /// The node that makes a tensor; invalid for tensors that no node makes.
  NodeId maker_of(BufferId buffer) const;
  /// The outlined tensor; may be invalid.
  BufferId marked() const { return marked_; }
  void show_all();

  const StepAxis& axis() const { return axis_; }
  /// The upper edge of the plot in bytes.
  std::int64_t top() const { return top_; }
  QRectF plot() const { return plot_; }
  double y_of(std::int64_t bytes) const;
  /// The texts of the key above the plot. If some entries have no room, the last text gives their
  /// number.
  QStringList key_texts() const { return key_.texts(); }
  /// The pixel in the middle of a slot.
  double x_of(std::size_t step) const { return frame().x_of(step); }
  /// The slot at a pixel; if the pixel covers two or more slots, the slot with the most live bytes.
  std::size_t step_at(double x) const;
  /// The tensor drawn at a point. Empty if there is none, and while bands are shown.
  std::optional<TensorBand> tensor_at(QPointF point) const;

  /// Whether measured workspace is drawn at a point.
  bool is_workspace_at(QPointF point) const;

  QSize sizeHint() const override { return {640, 260}; }

  Picture picture(const QString& title) override;
  PictureData picture_data() override;

 Q_SIGNALS:
  void slot_clicked(std::size_t slot);
  /// The user chose a tensor in a slot.
  void tensor_chosen(std::size_t slot, stashscope::BufferId buffer);
  void look_changed();

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
  void lay_out();
  QSize lay_out_picture();
  /// Places the plot below the key, on a page of this size.
  void place_plot(const QRect& page);
  void redraw();
  void set_axis(const StepAxis& axis);
  void prepare_tensors();
  bool shows_tensors() const { return look_.fill == MemoryLook::Fill::tensors; }
  CurvePlace place() const { return place_of(curves_, *curves_.current, look_.unit); }
  MemoryFrame frame() const;
  /// The plot with room for marks on its edges.
  QRectF room_of_marks() const { return plot_.adjusted(-6, -6, 6, 1); }
  void paint_static_layer();
  /// Paints the grid, the axis and the key.
  void paint_surroundings(QPainter& painter) const;
  void paint_readout(QPainter& painter) const;

  void click(QPointF at);
  void move_cursor(std::ptrdiff_t by);
  void walk_stack(int by);
  void zoom_at_cursor(double factor);
  void go_to_peak();
  void pan(double widths);
  void add_keys();

  QStringList whole_key() const;
  QStringList readout() const;
  QStringList step_facts(std::size_t step) const;
  QStringList tensor_facts(const TensorBand& band) const;

  MemoryCurves curves_;
  MemoryLook look_;
  StepAxis axis_;
  std::int64_t top_ = 1;
  QRectF plot_;
  KeyLayout key_;
  int axis_rows_ = 1;
  QPixmap static_layer_;  ///< data, grid, axis and key
  bool is_stale_ = true;  ///< the layer must be redrawn
  std::size_t cursor_ = 0;
  BufferId marked_;
  std::optional<SlotRange> life_;
  std::optional<QPointF> hovered_;
  AxisDrag drag_;
};

}  // namespace stashscope::ui
