#pragma once

#include <QPixmap>
#include <QWidget>
#include <functional>
#include <optional>

#include "core/study/reserved/allocator_map.h"
#include "ui/memory/data_layer.h"
#include "ui/memory/row_scroll_bar.h"
#include "ui/memory/tensor_colours.h"
#include "ui/pictures/picture.h"

namespace stashscope::ui {

/// The segments at a slot, and the contents of their blocks.
struct SegmentPicture {
  /// Words about a block, the most important first. Owns what it needs, because a table of all
  /// blocks is made on another thread.
  using Describe = std::function<QStringList(const MapBlock&)>;

  AllocatorMap map;
  std::vector<BlockLook> looks;  ///< one for each block of the map
  Describe describe;             ///< set if the map has blocks
};

/// Draws the segments of the allocator as rows, each as wide as the view, with the tensors in them
/// in the colours of the memory view. Hatched parts are free. Blocks narrower than a pixel are
/// drawn together, and only rows in sight are drawn.
///
/// A click chooses the tensor. Left and Right walk through the tensors of a segment, Up and Down
/// through the segments.
class SegmentMap : public QWidget, public PictureSource {
  Q_OBJECT

 public:
  explicit SegmentMap(QWidget* parent = nullptr);

  void set_segments(SegmentPicture segments);
  const AllocatorMap& map() const { return segments_.map; }
  void set_colouring(MemoryLook::Colouring colouring);
  /// Outlines a tensor and scrolls to it; an invalid id outlines none.
  void mark(BufferId buffer);
  BufferId marked() const { return marked_; }
  /// Scrolls to the outlined tensor, if a segment holds it.
  void scroll_to_marked();

  /// The block that is drawn at a pixel; null if there is none. Of blocks that share the pixel, the
  /// last.
  const MapBlock* block_at(QPointF pixel) const;
  QRectF rectangle(const MapBlock& block) const;
  /// The bar of a segment.
  QRectF bar_of(std::size_t segment) const;
  /// Words about what lies at a pixel; beside a bar, about its segment. Empty below all segments.
  QStringList facts_at(QPointF pixel) const;

  QSize sizeHint() const override { return {640, 260}; }

  Picture picture(const QString& title) override;
  PictureData picture_data() override;
  bool has_picture() override { return !map().segments.empty(); }

 Q_SIGNALS:
  void tensor_chosen(stashscope::BufferId buffer);
  /// The pointer moved, something else lies under it, or a key chose a tensor.
  /// @param facts about the item under the pointer, or about the chosen tensor; empty if there is
  /// none
  void pointed_at(const QStringList& facts);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  void add_keys();
  void lay_out();
  void redraw();
  void take_scrolling();
  int row_height() const;
  int rows_height() const;
  double scale_of(std::size_t segment) const;
  std::optional<std::size_t> row_at(double y) const;
  bool is_within_bars(double x) const;
  const MapBlock* marked_block() const;
  void paint_rows(QPainter& painter, int top, int bottom) const;
  void paint_row(QPainter& painter, std::size_t segment, const Theme& theme) const;
  void paint_blocks(QPainter& painter, std::size_t segment, const TensorColours& colours,
                    const Theme& theme) const;
  QRgb colour_of(std::size_t block, const TensorColours& colours, const Theme& theme) const;
  QStringList gap_facts(std::size_t segment, QPointF pixel) const;
  QString segment_text(std::size_t segment) const;
  QStringList facts_of(const MapBlock& block) const;
  void choose(BufferId buffer);
  void walk_row(int by);
  void walk_rows(int by);
  const MapBlock* nearest_tensor(std::size_t segment, double x) const;

  SegmentPicture segments_;
  MemoryLook::Colouring colouring_ = MemoryLook::Colouring::lifetime;
  BufferId marked_;
  RowScrollBar* scroll_;
  double label_width_ = 0;
  double free_width_ = 0;  ///< 0: there is no room for the column of free bytes
  QPixmap layer_;
  bool is_stale_ = true;
  std::optional<QPointF> hovered_;
};

}  // namespace stashscope::ui
