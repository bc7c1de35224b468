#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include "ui/document/planning.h"
#include "ui/panels/planner/budget_row.h"
#include "ui/panels/planner/export_hint.h"
#include "ui/panels/planner/fit_row.h"
#include "ui/panels/planner/fits_box.h"
#include "ui/panels/planner/plan_chart.h"
#include "ui/panels/planner/search_options.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/vertical_scroll_area.h"

namespace stashscope::ui {

/// The planner's panel. It takes a memory budget, searches for plans, shows results and proofs,
/// draws peak against extra time, and searches for the largest size of a dimension that fits.
class PlannerPanel : public QWidget {
  Q_OBJECT

 public:
  PlannerPanel(Document& document, Planning& planning, QWidget* parent = nullptr);

  QString budget_text() const { return budget_->text(); }
  void set_budget_text(const QString& text) { budget_->set_text(text); }
  /// The error in the text of the budget; empty: no error.
  const QString& budget_fault() const { return budget_->fault(); }
  void focus_budget();
  void find_largest();

  /// Searches for the cheapest plan within the budget, or shows the error in the budget's text.
  void plan();
  /// As `plan`, but may also switch on passes that lower the peak without extra time.
  void make_fit();
  /// As `make_fit`, with the memory of the device as the budget. The budget follows the device
  /// until the user sets another budget or undoes the plan. As in the answer bar, reserved memory
  /// must fit if an allocator is chosen, otherwise the tensors.
  void fit_device();
  /// Searches for the Pareto front of peak and extra time, which the chart shows. If reserved
  /// memory must fit or the granularity is `joint`, only says why there is no curve.
  void draw_curve();

 Q_SIGNALS:
  void budget_changed();
  /// The user wants to read how a PyTorch script gets plans.
  void pytorch_help_wanted();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  /// The choices and the fields before `fit_device`, and the choices with the plan that it found.
  struct Fitted {
    Choices before;
    std::optional<Choices> after;  ///< not set: no plan was switched on
    QString budget;
    bool fits_reserved = false;
  };

  QWidget* make_search_row();
  QWidget* make_device_row();
  void set_up_answer();
  QWidget* make_content();
  void connect_all();
  void take_opened();
  void take_fits();
  BudgetRequest request_for(std::int64_t budget_bytes) const;
  std::optional<std::int64_t> device_limit() const;
  /// Refuses a joint search for reserved memory with a notice. `other_way` says what else the user
  /// can do.
  bool refuses_reserved(bool is_reserved_wanted, const QString& other_way);
  /// The same for what must fit by the field Fits.
  bool refuses_fits();
  QString device_budget() const;
  void set_budget_to_device();
  void follow_device();
  void follow_fit();
  void show_study();
  void show_job();
  void show_turn(bool is_searching);
  void show_buttons(bool is_searching);
  void show_chart();
  void show_answer();
  void offer(QPushButton& button, bool is_offered);
  void show_offer();
  void keep_fit_in_view();
  const BudgetAnswer* current_answer() const;
  std::optional<std::int64_t> asked_bytes() const;
  QString text_of_answer() const;
  QString text_of(const BudgetAnswer& answer) const;
  QString search_text() const;
  QString known_text(std::int64_t budget_bytes) const;
  QString unplanned_text(std::int64_t budget_bytes) const;
  QString reserved_above_text(const BudgetAnswer& answer) const;
  QString why_no_curve() const;
  static QString nothing_to_plan_text(const Study& study);
  bool tells_runtime() const;
  const ParetoPoint* offered_plan() const;
  const DeviceFit* offered_fit() const;

  Document& document_;
  Planning& planning_;
  BudgetRow* budget_;
  FitsBox* fits_;
  SearchOptions* options_;
  QPushButton* plan_;
  QPushButton* curve_;
  QPushButton* stop_;
  QProgressBar* progress_;
  QLabel* grain_hint_;
  QLabel* answer_;
  LinkLabel* runtime_hint_;
  ExportHint* export_hint_;
  QPushButton* use_;
  QPushButton* use_offer_;
  PlanChart* chart_;
  QLabel* details_;
  FitRow* fit_;
  VerticalScrollArea* scroll_;
  QString asked_;  ///< text of the budget field when the last search for plans began
  std::optional<Fitted> fitted_;
  QString failure_;  ///< error of the last search for plans; empty: no error
};

}  // namespace stashscope::ui
