#pragma once

#include <QWidget>

#include "ui/planner/plan_chart_map.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

/// The peaks and times that lie in the chart beside the plans.
struct ChartMarks {
  ChartPoint baseline;          ///< the step without plans
  ChartPoint current;           ///< what is in force
  double baseline_seconds = 0;  ///< of the step without plans; times are shown as shares of it
  std::optional<std::int64_t> budget;
  std::optional<std::int64_t> floor;  ///< no plan is below
};

/// Peak against extra time of all plans that are known: a click on a point chooses it, and so does
/// Return after the arrow keys, Home or End went there.
class PlanChart : public QWidget {
  Q_OBJECT

 public:
  explicit PlanChart(QWidget* parent = nullptr);

  /// @param points by ascending peak, each cheaper than the one before it
  void set_points(std::vector<ChartPoint> points);
  /// Nothing empties the chart.
  void set_marks(const std::optional<ChartMarks>& marks);

  const std::vector<ChartPoint>& points() const { return points_; }
  PlanChartMap map() const;
  /// What is said of the point under the mouse or of the one the keys went to; empty without one.
  QString readout() const;

  QSize sizeHint() const override { return {360, 150}; }

 Q_SIGNALS:
  void point_chosen(std::size_t point);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  QRectF plot() const;
  void move_to(std::size_t point);
  void paint_grid(QPainter& painter, const PlanChartMap& map, const Theme& theme) const;
  void paint_limits(QPainter& painter, const PlanChartMap& map, const Theme& theme) const;
  void paint_points(QPainter& painter, const PlanChartMap& map, const Theme& theme) const;
  void paint_marks(QPainter& painter, const PlanChartMap& map, const Theme& theme) const;
  void paint_key(QPainter& painter, const Theme& theme) const;
  void paint_invitation(QPainter& painter, const Theme& theme) const;
  void paint_readout(QPainter& painter, const PlanChartMap& map, const Theme& theme) const;

  std::vector<ChartPoint> points_;
  std::optional<ChartMarks> marks_;
  std::optional<std::size_t> hovered_;
  std::optional<std::size_t> selected_;
};

}  // namespace stashscope::ui
