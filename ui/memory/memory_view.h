#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "ui/document/document.h"
#include "ui/memory/step_axis.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

/// Live bytes over the steps: without plans, with the chosen ones over their bands, as measured.
/// Zooms by wheel, pans by dragging; a click puts the cursor on a step. The arrow keys move the
/// cursor, P jumps to the peak, Home and End to the ends, 0 shows everything.
class MemoryView : public QWidget {
  Q_OBJECT

 public:
  explicit MemoryView(QWidget* parent = nullptr);

  /// A null study empties the view. @param measured live bytes of the current variant; may be empty
  void set_study(std::shared_ptr<const Study> study, std::vector<std::int64_t> measured);
  void set_cursor(std::size_t step);
  void show_all();

  const StepAxis& axis() const { return axis_; }
  /// The upper edge of the plot in bytes.
  std::int64_t top() const { return top_; }
  double y_of(std::int64_t bytes) const;

  QSize sizeHint() const override { return {640, 220}; }

 Q_SIGNALS:
  void step_clicked(std::size_t step);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  QRectF plot() const;
  void set_axis(const StepAxis& axis);
  void move_cursor(std::ptrdiff_t by);
  const Timeline& current() const { return study_->current->timeline; }

  void paint_grid(QPainter& painter, const Theme& theme) const;
  void paint_phases(QPainter& painter, const Theme& theme) const;
  void paint_bands(QPainter& painter, const Theme& theme) const;
  void paint_curves(QPainter& painter, const Theme& theme) const;
  QPolygonF outline(std::span<const std::int64_t> values, const StepAlignment& alignment) const;
  void paint_peak(QPainter& painter, const Theme& theme) const;
  void paint_cursor(QPainter& painter, const Theme& theme) const;
  void paint_peak_label(QPainter& painter, const Theme& theme, QPointF peak) const;
  /// Returns where it ends.
  double paint_key(QPainter& painter, const Theme& theme) const;
  void paint_readout(QPainter& painter, const Theme& theme, double left) const;
  QString readout(std::size_t step) const;

  std::shared_ptr<const Study> study_;
  std::vector<std::int64_t> measured_;
  std::array<std::vector<std::int64_t>, band_count> band_edges_;
  StepAlignment baseline_alignment_;
  StepAxis axis_;
  std::int64_t top_ = 1;
  std::size_t cursor_ = 0;
  std::optional<std::size_t> hovered_;
  double pressed_at_ = 0;
  double dragged_to_ = 0;
  bool dragging_ = false;
};

}  // namespace stashscope::ui
