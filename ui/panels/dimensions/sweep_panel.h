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

/// The peak against the sizes of one dimension. Follows the choices; computed in the background
/// while the panel is visible.
class SweepPanel : public QWidget {
  Q_OBJECT

 public:
  explicit SweepPanel(Document& document, QWidget* parent = nullptr);

  void show_dimension(const QString& name);
  /// Behind another tab, the panel computes nothing.
  void set_seen(bool seen);
  bool is_seen() const { return seen_; }

 private:
  /// The input of the points on the screen.
  struct Question {
    std::shared_ptr<const Study> study;
    std::string dimension;
    std::vector<std::int64_t> values;
  };

  QWidget* make_head();
  QSpinBox* make_number(const QString& name, const QString& accessible_name, int least, int most);
  const Dimension* dimension() const;
  void take_study();
  void list_dimensions();
  /// Sets a range around the current size of the dimension.
  void propose_range();
  void ask();
  bool waits() const { return document_.run_job().is_running(); }
  void take_turn();
  bool is_answered(const Question& question) const;
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
