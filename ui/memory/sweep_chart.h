#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "ui/memory/sweep_map.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

/// What a sweep chart stands for.
struct SweepFrame {
  QString dimension;
  std::int64_t from = 1;
  std::int64_t to = 2;  ///< above `from`
  std::int64_t memory_bytes = 0;
  QString memory_of;       ///< the device
  std::int64_t value = 0;  ///< of the dimension now
};

/// Peaks against the sizes of a dimension: without plans, and now. A click sets the size of the
/// point that the pointer is next to; the arrow keys walk over the points, Return sets the size.
class SweepChart : public QWidget {
  Q_OBJECT

 public:
  explicit SweepChart(QWidget* parent = nullptr);

  /// Empties the chart. @param invitation shown while there are no points
  void start(const SweepFrame& frame, const QString& invitation);
  void add(const SweepPoint& point);
  void set_value(std::int64_t value);

  /// By size.
  const std::vector<SweepPoint>& points() const { return points_; }
  SweepMap map() const;
  /// The figures of the point under the pointer or at the keyboard's cursor; empty without one.
  QString readout() const;

  QSize sizeHint() const override { return {480, 200}; }

 Q_SIGNALS:
  void value_chosen(std::int64_t value);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  using PeakOf = std::int64_t SweepPoint::*;

  void move_to(std::optional<std::size_t> point);
  void walk(std::ptrdiff_t by);
  void choose_current();
  QRectF plot() const;
  void paint_grid(QPainter& painter, const SweepMap& map, const Theme& theme) const;
  void paint_memory(QPainter& painter, const SweepMap& map, const Theme& theme) const;
  void paint_value(QPainter& painter, const SweepMap& map, const Theme& theme) const;
  void paint_curve(QPainter& painter, const SweepMap& map, PeakOf peak, const QPen& pen) const;
  void paint_points(QPainter& painter, const SweepMap& map, const Theme& theme) const;
  void paint_refused(QPainter& painter, const SweepMap& map, const Theme& theme) const;
  double paint_key(QPainter& painter, const Theme& theme) const;
  void paint_readout(QPainter& painter, const Theme& theme, double left) const;

  SweepFrame frame_;
  QString invitation_;
  std::vector<SweepPoint> points_;
  std::optional<std::int64_t> current_;  // size of the point that is pointed at
};

}  // namespace stashscope::ui
