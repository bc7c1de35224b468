#pragma once

#include <QAction>
#include <QWidget>
#include <optional>

#include "ui/pictures/picture.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

/// A chart of points. The pointer hovers over a point; the arrow keys, Home and End select a point.
/// A click or Return chooses a point.
class PointChart : public QWidget, public PictureSource {
  Q_OBJECT

 public:
  explicit PointChart(QWidget* parent = nullptr);

  /// The values of the point under the pointer, as text. If the pointer is on no point, the values
  /// of the selected point; empty if no point is selected.
  virtual QString readout() const = 0;

  Picture picture(const QString& title) override;

 protected:
  virtual std::size_t point_count() const = 0;
  /// Paints the chart without the mark of the keyboard focus.
  virtual void paint(QPainter& painter) const = 0;
  /// The point that a click at `pixel` chooses; empty if there is no point.
  virtual std::optional<std::size_t> point_at(QPointF pixel) const = 0;
  /// The point that the first press of an arrow key selects. @pre the chart has points
  virtual std::size_t first_stop() const = 0;
  virtual void choose(std::size_t point) = 0;

  const std::optional<std::size_t>& hovered() const { return hovered_; }
  const std::optional<std::size_t>& selected() const { return selected_; }
  std::optional<std::size_t> current() const { return hovered_ ? hovered_ : selected_; }
  /// Selects a point as the keys do. Until the pointer moves, no point is hovered.
  void move_to(std::optional<std::size_t> point);
  /// Call this when a point was inserted at index `point`: all indices from `point` on grow by one.
  void make_room_for(std::size_t point);
  /// Call this when the points or their values have changed.
  void tell();

  void paint_invitation(QPainter& painter, const QRectF& room, const QString& text,
                        const Theme& theme) const;

  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  void add_keys();
  void walk(std::ptrdiff_t by);
  void set_hovered(std::optional<std::size_t> point);

  std::optional<std::size_t> hovered_;
  std::optional<std::size_t> selected_;
  QAction* choose_ = nullptr;
};

}  // namespace stashscope::ui
