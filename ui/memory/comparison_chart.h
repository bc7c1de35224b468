#pragma once

#include <QWidget>
#include <array>
#include <memory>
#include <optional>

#include "core/study/step/study.h"
#include "ui/charts/step_axis.h"
#include "ui/memory/memory_key.h"
#include "ui/pictures/picture.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

/// The memory curves of two training steps on one axis, with their forward and backward passes
/// aligned. The wheel zooms, dragging pans; `add_step_keys` lists the keys.
class ComparisonChart : public QWidget, public PictureSource {
  Q_OBJECT

 public:
  enum Side : std::size_t { left, right };

  explicit ComparisonChart(QWidget* parent = nullptr);

  /// Shows the current variants of two studies. The chart is empty if a study is null.
  void set_studies(std::shared_ptr<const Study> left_study,
                   std::shared_ptr<const Study> right_study);
  static QColor colour_of(Side side, const Theme& theme);

  const StepAxis& axis() const { return axis_; }
  /// The slot of the left side under the cursor.
  std::size_t cursor() const { return cursor_; }
  /// The slot of a side that the readout describes: the slot at the cursor's line. If three or more
  /// slots are drawn close to this line, it is the one with the most bytes, because the curve shows
  /// the highest value.
  std::size_t step_at_cursor(Side side) const;
  QString readout() const;
  /// The longest version of the readout that fits into the chart. The shortest version tells only
  /// how the peaks differ.
  QString shown_readout() const;

  QSize sizeHint() const override { return {480, 240}; }

  Picture picture(const QString& title) override;
  PictureData picture_data() override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  const Variant& variant(Side side) const { return *studies_[side]->current; }
  bool is_empty() const;
  QRectF plot() const;
  double y_of(std::int64_t bytes) const;
  /// The slot of a side that is drawn at `x`, counted in the order of that side.
  std::size_t step_at(Side side, double x) const;
  void add_keys();
  void fit_axis();
  void set_axis(const StepAxis& axis);
  void move_cursor(std::ptrdiff_t by);
  KeyLayout key() const;
  void paint(QPainter& painter) const;
  void paint_phases(QPainter& painter, const Theme& theme) const;
  void paint_side(QPainter& painter, const Theme& theme, Side side) const;
  void paint_cursor(QPainter& painter, const Theme& theme) const;
  QString readout(Side side) const;
  /// The versions of the readout for both sides at the cursor, longest first.
  /// @pre both sides have slots
  QStringList readouts() const;
  std::int64_t bytes_at_cursor(Side side) const;
  QString change_of_peaks() const;

  std::array<std::shared_ptr<const Study>, 2> studies_;
  std::array<StepAlignment, 2> alignments_;
  StepAxis axis_;
  std::int64_t top_ = 1;
  std::size_t cursor_ = 0;
  double dragged_to_ = 0;
};

}  // namespace stashscope::ui
