#pragma once

#include "ui/charts/point_chart.h"
#include "ui/panels/planner/plan_chart_map.h"

namespace stashscope::ui {

/// Marks in the chart, in addition to the plans.
struct ChartMarks {
  ChartPoint baseline;          ///< the step without plans
  ChartPoint current;           ///< the step with the current choices
  double baseline_seconds = 0;  ///< time of the step without plans
  std::optional<std::int64_t> budget;
  std::optional<std::int64_t> floor;  ///< lower bound on the peak of every plan
  QString why_no_curve = {};          ///< why the curve cannot be drawn; empty: it can
  /// Whether the window also shows reserved memory. If so, the chart says that it is about tensors.
  bool is_beside_reserved = false;
};

/// A chart of all known plans: the peak to the right, the extra time upwards.
class PlanChart : public PointChart {
  Q_OBJECT

 public:
  explicit PlanChart(QWidget* parent = nullptr);

  /// @param points sorted by ascending peak; each point has less extra time than the previous point
  void set_points(std::vector<ChartPoint> points);
  /// Without marks, the chart is empty.
  void set_marks(const std::optional<ChartMarks>& marks);

  const std::vector<ChartPoint>& points() const { return points_; }
  PlanChartMap map() const;
  QString readout() const override;
  /// The title: the meaning of the axes, and whether the chart is about tensors only.
  QString title() const;
  /// The text beside the line of the budget; empty without such a line.
  QString budget_text() const;

  QSize sizeHint() const override { return {360, 110}; }

  PictureData picture_data() override;

 Q_SIGNALS:
  void point_chosen(std::size_t point);

 protected:
  std::size_t point_count() const override { return points_.size(); }
  std::optional<std::size_t> point_at(QPointF pixel) const override;
  std::size_t first_stop() const override;
  void choose(std::size_t point) override { Q_EMIT point_chosen(point); }
  void paint(QPainter& painter) const override;

 private:
  QRectF plot() const;
  /// The first point with this peak or a higher peak, otherwise the last point. @pre there is at
  /// least one point
  std::size_t point_near(std::int64_t peak_bytes) const;
  void paint_grid(QPainter& painter, const PlanChartMap& map, const Theme& theme) const;
  void paint_title(QPainter& painter, const Theme& theme) const;
  void paint_limits(QPainter& painter, const PlanChartMap& map, const Theme& theme) const;
  void paint_budget(QPainter& painter, double x, const Theme& theme) const;
  void paint_points(QPainter& painter, const PlanChartMap& map, const Theme& theme) const;
  void paint_marks(QPainter& painter, const PlanChartMap& map, const Theme& theme) const;
  void paint_key(QPainter& painter, const Theme& theme) const;
  void paint_readout(QPainter& painter, const PlanChartMap& map, const Theme& theme) const;

  std::vector<ChartPoint> points_;
  std::optional<ChartMarks> marks_;
};

}  // namespace stashscope::ui
