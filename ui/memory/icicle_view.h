#pragma once

#include <QWidget>
#include <optional>

#include "core/study/facts/icicle.h"
#include "ui/memory/row_scroll_bar.h"
#include "ui/pictures/picture.h"

namespace stashscope::ui {

/// An icicle chart of a memory tree: each row splits the boxes of the row above it. The width of a
/// box shows its bytes. A click on a group zooms into it, a click on the first row zooms out. The
/// arrow keys walk from box to box. A scroll bar leads to the rows that have no room.
class IcicleView : public QWidget, public PictureSource {
  Q_OBJECT

 public:
  explicit IcicleView(QWidget* parent = nullptr);

  /// Shows another tree. The zoom stays if the new tree has the same grouping and contains the
  /// group that fills the width.
  /// @param bytes bytes of each node of the tree, see `tree_bytes`
  void set_tree(MemoryTree tree, std::vector<std::int64_t> bytes);
  /// Replaces the bytes of the nodes. The tree stays.
  void set_bytes(std::vector<std::int64_t> bytes);

  const MemoryTree& tree() const { return tree_; }
  std::int64_t bytes_of(std::uint32_t node) const { return bytes_[node]; }
  /// The node whose box fills the width.
  std::uint32_t top() const { return top_; }
  void zoom_to(std::uint32_t node);
  /// Shows the whole tree from its first row.
  void show_all();
  /// Zooms out to the next group with more bytes, as a click on the first row does.
  void step_out();
  /// The boxes that are wide enough to be drawn, also those scrolled out of view.
  const std::vector<IcicleBox>& boxes() const { return boxes_; }
  /// The place of a box in the view, outside the view if the box is scrolled out of it.
  QRectF rectangle(const IcicleBox& box) const;
  /// The text on a box that is `width` pixels wide; empty if the box is too narrow for text.
  QString label(const IcicleBox& box, double width) const;

  /// Outlines the boxes of these tensors.
  void mark(std::vector<BufferId> buffers);
  bool is_marked(const IcicleBox& box) const;

  QSize sizeHint() const override { return {480, 168}; }

  Picture picture(const QString& title) override;
  /// A table of the groups and tensors inside the group that fills the width.
  PictureData picture_data() override;

 Q_SIGNALS:
  /// The user chose a group or a tensor.
  /// @param added true: the choice is added to the selection; false: it replaces the selection
  void chosen(std::uint32_t node, bool added);
  void zoomed();

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  void add_keys();
  void zoom_out();
  int row_height() const;
  /// Width of the boxes of the first row, in pixels.
  int chart_width() const;
  /// Height of all rows, in pixels.
  int rows_height() const;
  void update_boxes();
  const IcicleBox* box_at(QPointF pixel) const;
  const IcicleBox* current_box() const;
  void choose(std::uint32_t node, bool added);
  void move_current(int key);
  /// The box that an arrow key leads to: the next box in the row, the box around `from`, or the
  /// first box inside `from`. Empty if there is no such box.
  std::optional<std::uint32_t> neighbour(const IcicleBox& from, int key) const;
  /// Paints the boxes whose rows begin above `bottom`, in pixels.
  void paint_boxes(QPainter& painter, double bottom) const;
  void paint_box(QPainter& painter, const IcicleBox& box) const;
  QString description(std::uint32_t node) const;

  MemoryTree tree_;
  std::vector<std::int64_t> bytes_;
  std::vector<IcicleBox> boxes_;
  std::vector<BufferId> marked_;
  RowScrollBar* const scroll_;
  std::uint32_t top_ = 0;
  std::optional<std::uint32_t> current_;  ///< node of the box that keys or a click reached
};

}  // namespace stashscope::ui
