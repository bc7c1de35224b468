#pragma once

#include <QComboBox>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QTimer>
#include <map>

#include "ui/document/document.h"
#include "ui/memory/sweep_chart.h"
#include "ui/panels/dimensions/sweep_job.h"

namespace stashscope::ui {

/// A chart of the peak against the size of one dimension or, if reserved memory must fit
/// (`Document::allocator_that_fits`), of what the allocator reserves. The chart follows the
/// choices. The points are computed in the background; a computation starts only while the panel is
/// visible.
class SweepPanel : public QWidget {
  Q_OBJECT

 public:
  explicit SweepPanel(Document& document, QWidget* parent = nullptr);

  void show_dimension(const QString& name);
  /// Sets whether the panel is visible. Behind another tab, the panel starts no computation.
  void set_seen(bool seen);
  bool is_seen() const { return seen_; }

 private:
  /// The input that the points on the screen are computed from.
  struct Question {
    std::shared_ptr<const Study> study;
    std::string dimension;
    std::vector<std::int64_t> values;
    std::optional<AllocatorSettings> allocator;
  };

  QWidget* make_head();
  QSpinBox* make_number(const QString& name, const QString& accessible_name, int least, int most);
  const Dimension* dimension() const;
  void take_study();
  void list_dimensions();
  /// Sets the range from 1 to twice the current size of the dimension, but at least to 16.
  void propose_range();
  /// If all sizes of the proposed range are computed and the last one fits the device, extends the
  /// range to a size that does not fit, unless that size is far away.
  void extend_range();
  std::vector<std::int64_t> values_of(const Dimension& of) const;
  QString why_no_values() const;
  void ask();
  bool waits() const { return document_.run_job().is_running(); }
  void take_turn();
  bool is_answered(const Question& question) const;
  /// The input that the fields of the panel describe.
  Question question(const Dimension& of) const;
  /// Whether no sweep is running or about to start, and the last sweep used the input that the
  /// fields describe. Also true if this sweep was cancelled.
  bool is_current() const;
  void start();
  void cancel();
  void show_state();
  void take_point(const SweepPoint& point);
  void set_size(std::int64_t size);

  Document& document_;
  SweepJob job_;
  QComboBox* dimension_;
  QSpinBox* from_;
  QSpinBox* to_;
  QSpinBox* count_;
  QProgressBar* progress_;
  QPushButton* start_;
  QPushButton* cancel_;
  SweepChart* chart_;
  QTimer delay_;
  std::optional<Question> shown_;
  bool seen_ = false;
  bool is_range_proposed_ = true;
};

}  // namespace stashscope::ui
