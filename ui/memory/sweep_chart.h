#pragma once

#include <vector>

#include "ui/charts/point_chart.h"
#include "ui/memory/memory_key.h"
#include "ui/memory/sweep_map.h"

namespace stashscope::ui {

/// The range of sizes that a sweep chart shows, and the values that it marks.
struct SweepFrame {
  QString dimension;
  std::int64_t from = 1;          ///< smallest size
  std::int64_t to = 2;            ///< largest size; above `from`
  std::int64_t memory_bytes = 0;  ///< memory of the device; 0: unknown
  QString memory_of;              ///< name of the device
  std::int64_t value = 0;         ///< current size of the dimension
  bool is_reserved = false;       ///< the points are reserved memory instead of peaks of tensors
};

/// Peaks of tensors or reserved memory against the sizes of a dimension, without plans and with the
/// current plans. A click sets the dimension to the size of the point next to the pointer; Return
/// sets it to the size of the point that the keys selected.
class SweepChart : public PointChart {
  Q_OBJECT

 public:
  explicit SweepChart(QWidget* parent = nullptr);

  /// Empties the chart. @param invitation shown while there are no points
  void start(const SweepFrame& frame, const QString& invitation);
  void add(const SweepPoint& point);
  void set_value(std::int64_t value);
  /// Changes the device whose memory the points are compared with. The points stay: they do not
  /// depend on the device.
  void set_memory(std::int64_t bytes, const QString& of);

  /// The points, ascending by size.
  const std::vector<SweepPoint>& points() const { return points_; }
  /// The texts of the key above the plot.
  QStringList key_texts() const { return key().texts(); }
  SweepMap map() const;
  QString readout() const override;

  QSize sizeHint() const override { return {480, 200}; }

  PictureData picture_data() override;

 Q_SIGNALS:
  void value_chosen(std::int64_t value);

 protected:
  std::size_t point_count() const override { return points_.size(); }
  std::optional<std::size_t> point_at(QPointF pixel) const override;
  std::size_t first_stop() const override;
  void choose(std::size_t point) override { Q_EMIT value_chosen(points_[point].value); }
  bool event(QEvent* event) override;
  void paint(QPainter& painter) const override;

 private:
  using PeakOf = std::int64_t SweepPoint::*;

  QRectF plot() const;
  void paint_sizes(QPainter& painter, const SweepMap& map, const Theme& theme) const;
  void paint_memory(QPainter& painter, const SweepMap& map, const Theme& theme) const;
  void paint_value(QPainter& painter, const SweepMap& map, const Theme& theme) const;
  void paint_curve(QPainter& painter, const SweepMap& map, PeakOf peak, const QPen& pen) const;
  void paint_points(QPainter& painter, const SweepMap& map, const Theme& theme) const;
  void paint_refused(QPainter& painter, const SweepMap& map, const Theme& theme) const;
  KeyLayout key() const;
  /// The versions of the readout, longest first. Empty without a hovered or selected point.
  QStringList readouts() const;

  SweepFrame frame_;
  QString invitation_;
  std::vector<SweepPoint> points_;
};

}  // namespace stashscope::ui
