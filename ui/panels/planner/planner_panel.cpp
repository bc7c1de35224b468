#include "ui/panels/planner/planner_panel.h"

#include <QKeyEvent>
#include <QScrollBar>
#include <QVBoxLayout>

#include "core/study/step/later_steps.h"
#include "ui/document/choice_words.h"
#include "ui/panels/planner/answer_text.h"
#include "ui/panels/planner/profile_box.h"
#include "ui/text/enabling.h"
#include "ui/theme/spacing.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/labelled_row.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int progress_height = 4;

ChartPoint chart_point(const ParetoPoint& point) { return {point.peak_bytes, point.extra_seconds}; }

}  // namespace

PlannerPanel::PlannerPanel(Document& document, Planning& planning, QWidget* parent)
    : QWidget(parent),
      document_(document),
      planning_(planning),
      budget_(new BudgetRow),
      fits_(new FitsBox(document)),
      options_(new SearchOptions),
      plan_(new QPushButton(tr("Plan"))),
      curve_(new QPushButton(tr("Curve"))),
      stop_(new QPushButton(tr("Stop"))),
      progress_(new QProgressBar),
      grain_hint_(new QLabel),
      answer_(new QLabel),
      runtime_hint_(new LinkLabel),
      export_hint_(new ExportHint(document)),
      use_(new QPushButton),
      use_offer_(new QPushButton),
      chart_(new PlanChart),
      details_(new QLabel),
      fit_(new FitRow(document, planning, *options_)),
      scroll_(new VerticalScrollArea(make_content())) {
  setObjectName(u"planner_panel"_s);
  scroll_->setFocusPolicy(Qt::NoFocus);
  auto* const outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(scroll_);
  setTabOrder(findChild<QWidget*>(u"profile_from_file"_s), options_->seed());
  connect_all();
  show_job();
}

QWidget* PlannerPanel::make_content() {
  set_up_answer();
  budget_->add(*make_label_of(*fits_, tr("F&its")), *fits_);
  auto* const content = new QWidget;
  // Without a minimum height, the layout would reserve the height that the wrapped texts need at a
  // small width. With a minimum height of 1, the content is as high as its texts are at their
  // actual width.
  content->setMinimumHeight(1);
  auto* const layout = new QVBoxLayout(content);
  layout->setContentsMargins(spacing_unit, spacing_unit / 2, spacing_unit, spacing_unit);
  layout->setSpacing(spacing_unit);
  layout->addWidget(budget_);
  layout->addWidget(make_search_row());
  layout->addWidget(grain_hint_);
  layout->addWidget(answer_);
  layout->addWidget(runtime_hint_);
  layout->addWidget(export_hint_);
  layout->addWidget(use_, 0, Qt::AlignLeft);
  layout->addWidget(use_offer_, 0, Qt::AlignLeft);
  layout->addWidget(chart_, 1);
  layout->addWidget(details_);
  layout->addWidget(fit_);
  layout->addWidget(make_device_row());
  return content;
}

/// During a search, the Stop button and the progress bar replace the buttons that start a search.
QWidget* PlannerPanel::make_search_row() {
  plan_->setObjectName(u"plan_button"_s);
  curve_->setObjectName(u"curve_button"_s);
  stop_->setObjectName(u"stop_planning_button"_s);
  stop_->setToolTip(tr("Ends the search and keeps the best plan so far"));
  progress_->setObjectName(u"planning_progress"_s);
  progress_->setAccessibleName(tr("Progress of the search"));
  progress_->setTextVisible(false);
  progress_->setRange(0, 1000);
  progress_->setFixedHeight(progress_height);
  progress_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  auto* const row = new QWidget;
  auto* const layout = new FlowLayout(row);
  layout->addWidget(options_);
  for (QPushButton* const button : {plan_, curve_, stop_}) {
    button->setAutoDefault(true);
    layout->addWidget(button);
  }
  layout->addWidget(progress_);
  return row;
}

void PlannerPanel::set_up_answer() {
  set_up_rich_label(*grain_hint_, u"grain_hint"_s);
  grain_hint_->setForegroundRole(QPalette::PlaceholderText);
  set_up_rich_label(*answer_, u"budget_answer"_s);
  set_up_rich_label(*details_, u"budget_details"_s);
  runtime_hint_->setObjectName(u"planner_runtime_hint"_s);
  runtime_hint_->set_hint(runtime_hint());
  use_->setObjectName(u"use_plan_button"_s);
  use_->setAutoDefault(true);
  use_offer_->setObjectName(u"use_passes_button"_s);
  use_offer_->setAutoDefault(true);
}

QWidget* PlannerPanel::make_device_row() {
  auto* const profile = new ProfileBox(document_);
  auto* const row = new QWidget;
  auto* const layout = new FlowLayout(row);
  layout->addWidget(make_label_of(*profile, tr("&Times of")));
  layout->addWidget(profile);
  layout->addWidget(make_label_of(*options_->seed(), tr("See&d")));
  layout->addWidget(options_->seed());
  return row;
}

void PlannerPanel::focus_budget() {
  scroll_->ensureWidgetVisible(budget_);
  budget_->focus_field();
}

void PlannerPanel::find_largest() {
  scroll_->ensureWidgetVisible(fit_);
  fit_->focus_field();
  if (planning_.job() != PlanningJob::fit) fit_->find();
}

/// If the user types in the fields of `fit_`, scrolls to the answer below them. The field with the
/// keyboard focus stays visible.
void PlannerPanel::keep_fit_in_view() {
  QWidget* const keys = window()->focusWidget();
  if (keys == nullptr || !fit_->isAncestorOf(keys)) return;
  scroll_->ensureWidgetVisible(fit_, 0, spacing_unit);
  scroll_->ensureWidgetVisible(keys, 0, spacing_unit);
}

void PlannerPanel::connect_all() {
  connect(plan_, &QPushButton::clicked, this, &PlannerPanel::plan);
  connect(curve_, &QPushButton::clicked, this, &PlannerPanel::draw_curve);
  connect(stop_, &QPushButton::clicked, &planning_, &Planning::stop);
  connect(use_, &QPushButton::clicked, this, [this] {
    if (const ParetoPoint* const plan = offered_plan()) planning_.use(*plan);
  });
  connect(use_offer_, &QPushButton::clicked, &planning_, &Planning::use_offer);
  connect(budget_, &BudgetRow::changed, this, [this] {
    failure_.clear();
    // The running search would apply a plan for a budget that the field no longer has.
    const bool is_planning = planning_.job() == PlanningJob::budget;
    if (is_planning && planning_.request().budget_bytes != budget_->bytes()) planning_.abandon();
    if (document_.study() != nullptr) {
      document_.set_budget(budget_->is_reset() ? QString() : budget_->text());
    }
    show_answer();
    show_chart();
    Q_EMIT budget_changed();
  });
  connect(runtime_hint_, &QLabel::linkActivated, this, &PlannerPanel::pytorch_help_wanted);
  connect(&document_, &Document::fits_changed, this, &PlannerPanel::take_fits);
  connect(options_, &SearchOptions::question_changed, this, &PlannerPanel::show_job);
  connect(fit_, &FitRow::answered, this, &PlannerPanel::keep_fit_in_view, Qt::QueuedConnection);
  connect(scroll_->verticalScrollBar(), &QScrollBar::rangeChanged, this,
          &PlannerPanel::keep_fit_in_view, Qt::QueuedConnection);
  connect(chart_, &PlanChart::point_chosen, this, [this](std::size_t point) {
    planning_.use(planning_.archive(options_->grain()).points()[point]);
  });
  connect(&document_, &Document::opened, this, &PlannerPanel::take_opened);
  connect(&document_, &Document::study_changed, this, &PlannerPanel::show_study);
  connect(&document_, &Document::choices_changed, this, &PlannerPanel::show_answer);
  connect(&document_, &Document::choices_changed, this, &PlannerPanel::follow_fit);
  connect(&planning_, &Planning::answer_changed, this, &PlannerPanel::follow_fit);
  connect(&document_.exclusive_work(), &ExclusiveWork::changed, this, &PlannerPanel::show_job);
  connect(&planning_, &Planning::job_changed, this, &PlannerPanel::show_job);
  connect(&planning_, &Planning::plans_changed, this, &PlannerPanel::show_chart);
  connect(&planning_, &Planning::answer_changed, this, &PlannerPanel::show_answer);
  connect(&planning_, &Planning::progressed, this, [this] {
    progress_->setValue(static_cast<int>(1000 * planning_.fraction()));
    show_answer();
  });
  connect(&planning_, &Planning::failed, this, [this](PlanningJob job, const Failure& failure) {
    if (job == PlanningJob::fit) return;
    failure_ = failure.message;
    show_answer();
  });
}

/// Ends a running search, because its plan would be made for the previous choice of what must fit.
void PlannerPanel::take_fits() {
  failure_.clear();
  if (planning_.job() == PlanningJob::budget) planning_.abandon();
  show_job();
}

BudgetRequest PlannerPanel::request_for(std::int64_t budget_bytes) const {
  BudgetRequest request{budget_bytes, options_->grain(), options_->limit()};
  request.allocator = document_.allocator_that_fits();
  request.device_bytes = device_limit();
  request.may_change_results = options_->may_change_results();
  return request;
}

/// Whether a joint search for reserved memory is wanted. There is no such search; a notice says
/// what to choose instead.
bool PlannerPanel::refuses_reserved(bool is_reserved_wanted, const QString& other_way) {
  if (options_->grain() != PlanGranularity::joint || !is_reserved_wanted) return false;
  document_.notices().notify(
      tr("A joint search is for tensors: choose Clusters, Nodes or Sequences instead of Joint, or "
         "%1")
          .arg(other_way));
  return true;
}

bool PlannerPanel::refuses_fits() {
  return refuses_reserved(document_.allocator_that_fits().has_value(),
                          tr("plan with \"tensors\" beside Fits"));
}

void PlannerPanel::plan() {
  const auto budget = budget_->bytes();
  if (!budget) return budget_->insist();
  if (refuses_fits()) return;
  asked_ = budget_->text();
  planning_.plan(request_for(*budget));
}

void PlannerPanel::make_fit() {
  const auto budget = budget_->bytes();
  if (!budget) return budget_->insist();
  if (refuses_fits()) return;
  asked_ = budget_->text();
  planning_.make_fit(request_for(*budget));
}

void PlannerPanel::draw_curve() {
  const QString why_not = why_no_curve();
  if (!why_not.isEmpty()) return document_.notices().notify(why_not);
  scroll_->ensureWidgetVisible(chart_, 0, 0);
  planning_.draw_curve(options_->grain(), options_->limit());
}

/// The budget belongs to the model: another model starts with its own budget.
void PlannerPanel::take_opened() {
  const QString budget = document_.budget();
  fitted_.reset();
  budget_->set_peak(document_.study()->baseline->timeline.peak_bytes);
  if (budget.isEmpty()) {
    budget_->reset();
  } else {
    budget_->set_text(budget);
    if (budget == device_budget()) budget_->set_to_device(budget);
  }
}

void PlannerPanel::show_study() {
  budget_->set_peak(document_.study()->baseline->timeline.peak_bytes);
  follow_device();
  options_->set_captured(is_captured(document_.study().get()));
  show_job();
}

void PlannerPanel::show_job() {
  const PlanningJob job = planning_.job();
  const bool is_searching = job == PlanningJob::budget || job == PlanningJob::curve;
  if (is_searching) failure_.clear();
  grain_hint_->setText(options_->hint().toHtmlEscaped());
  show_turn(is_searching);
  stop_->setEnabled(!planning_.is_stopping());
  show_buttons(is_searching);
  progress_->setValue(static_cast<int>(1000 * planning_.fraction()));
  show_answer();
  show_chart();
}

void PlannerPanel::show_turn(bool is_searching) {
  // During a search the buttons are hidden but stay enabled: a disabled button loses the focus.
  const QString why_visible = is_searching ? QString() : document_.why_wait();
  enable_unless(*plan_, why_visible,
                tr("Searches for the cheapest plan within the budget and switches it on (Return)"));
  enable_unless(*curve_, is_searching || !why_visible.isEmpty() ? why_visible : why_no_curve(),
                tr("Searches for the Pareto front: the cheapest plan for each peak"));
}

/// If one of the buttons has the keyboard focus, a search moves the focus to the Stop button, and
/// the end of the search moves the focus to the Plan button.
void PlannerPanel::show_buttons(bool is_searching) {
  const bool had_keys = plan_->hasFocus() || curve_->hasFocus() || stop_->hasFocus();
  const std::initializer_list<QWidget*> idle = {plan_, curve_};
  const std::initializer_list<QWidget*> busy = {stop_, progress_};
  for (QWidget* const each : is_searching ? busy : idle) each->show();
  if (had_keys) (is_searching ? stop_ : plan_)->setFocus();
  for (QWidget* const each : is_searching ? idle : busy) each->hide();
}

void PlannerPanel::show_chart() {
  std::vector<ChartPoint> points;
  for (const ParetoPoint& each : planning_.archive(options_->grain()).points()) {
    points.push_back(chart_point(each));
  }
  chart_->set_points(std::move(points));
  const auto& study = document_.study();
  if (study == nullptr) return;
  ChartMarks marks;
  marks.baseline = {study->baseline->timeline.peak_bytes, 0};
  marks.current = {study->current->timeline.peak_bytes, extra_seconds(*study)};
  marks.baseline_seconds = step_seconds(*study, *study->baseline);
  // The chart shows peaks of tensors, with which a budget for reserved memory cannot be compared.
  if (!document_.allocator_that_fits()) marks.budget = budget_->bytes();
  marks.why_no_curve = why_no_curve();
  marks.is_beside_reserved = study->choices.allocator.has_value();
  if (const StepPeakBound* const floor = planning_.floor(options_->grain()))
    marks.floor = floor->bytes;
  chart_->set_marks(marks);
}

void PlannerPanel::show_answer() {
  answer_->setText(text_of_answer());
  const BudgetAnswer* const answer = current_answer();
  details_->setVisible(answer != nullptr);
  if (answer != nullptr) {
    details_->setText(answer_details(*document_.study(), *answer, planning_.passes_of_answer()));
  }
  runtime_hint_->setVisible(tells_runtime());
  show_offer();
  const ParetoPoint* const plan = offered_plan();
  offer(*use_, plan != nullptr);
  if (plan == nullptr) return;
  const bool is_met =
      document_.allocator_that_fits() ? answer->feasible : plan->peak_bytes <= asked_bytes();
  use_->setText(is_met                            ? tr("Use this plan")
                : document_.allocator_that_fits() ? tr("Use the plan that reserves least")
                                                  : tr("Use the plan with the lowest peak"));
}

void PlannerPanel::show_offer() {
  const DeviceFit* const offered = offered_fit();
  offer(*use_offer_, offered != nullptr);
  if (offered == nullptr) return;
  const bool is_joint = offered->answer.joint != nullptr;
  use_offer_->setText(is_joint ? tr("Use the combination with the lowest peak")
                               : tr("Use this plan with its passes"));
  use_offer_->setToolTip(is_joint ? tr("Switches what-ifs, passes and plans on, as one edit")
                                  : tr("Switches the plan and its passes on, as one edit"));
}

/// Shows or hides a button below the answer. If a button with the keyboard focus is hidden, the
/// focus moves up to the Plan button, near the answer, which says what the hidden button did. Qt
/// would move the focus down to the chart.
void PlannerPanel::offer(QPushButton& button, bool is_offered) {
  if (!is_offered && button.hasFocus()) {
    plan_->setFocus();
    scroll_->ensureWidgetVisible(plan_, 0, spacing_unit);
  }
  button.setVisible(is_offered);
}

/// Whether to show the hint that says where plans and passes can be used. Captured steps need no
/// hint. Other steps need it while an answer is shown, or plans or passes are on.
bool PlannerPanel::tells_runtime() const {
  const Study* const study = document_.study().get();
  if (study == nullptr || is_captured(study)) return false;
  const Choices& choices = study->choices;
  return current_answer() != nullptr || !study->config.empty() || choices.plans.sequence ||
         !choices.graph.passes.empty();
}

/// The plan that the button below the answer switches on: the cheapest known plan within the
/// budget, otherwise the plan with the lowest peak. If reserved memory must fit, only the plan of
/// the answer, because the reserved memory of other plans is not known. Null without a budget or a
/// known plan, during a search, and if the plan is already applied.
const ParetoPoint* PlannerPanel::offered_plan() const {
  const auto budget = asked_bytes();
  const ParetoFront& plans = planning_.archive(options_->grain());
  const bool is_searching = planning_.job() != PlanningJob::none;
  if (!budget || plans.points().empty() || is_searching) return nullptr;
  const BudgetAnswer* const answer = current_answer();
  if (document_.allocator_that_fits() && answer == nullptr) return nullptr;
  const ParetoPoint& best = document_.allocator_that_fits() ? answer->best : plans.best(*budget);
  return planning_.is_in_force(best) ? nullptr : &best;
}

/// The offer that the second button below the answer switches on. Null during a search, if the
/// search made no offer, and if there is no answer for the budget in the field.
const DeviceFit* PlannerPanel::offered_fit() const {
  const bool is_idle = planning_.job() == PlanningJob::none;
  return is_idle && current_answer() != nullptr ? planning_.offer() : nullptr;
}

/// The answer for the budget, the granularity and what must fit, as in the fields; null if there is
/// no such answer. The same text counts as the same budget, even if it means other bytes now: a
/// share such as `70 %` means fewer bytes after passes have lowered the peak without plans.
const BudgetAnswer* PlannerPanel::current_answer() const {
  const BudgetAnswer* const answer = planning_.answer();
  if (answer == nullptr || answer->request.grain != options_->grain()) return nullptr;
  if (answer->request.allocator != document_.allocator_that_fits()) return nullptr;
  const bool is_joint = answer->request.grain == PlanGranularity::joint;
  if (is_joint && answer->request.may_change_results != options_->may_change_results()) {
    return nullptr;
  }
  const bool is_asked =
      budget_->text() == asked_ || answer->request.budget_bytes == budget_->bytes();
  return is_asked ? answer : nullptr;
}

/// The budget of the answer that is shown, or else of the field.
std::optional<std::int64_t> PlannerPanel::asked_bytes() const {
  const BudgetAnswer* const answer = current_answer();
  return answer != nullptr ? answer->request.budget_bytes : budget_->bytes();
}

void PlannerPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) show_answer();
}

void PlannerPanel::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Return && event->key() != Qt::Key_Enter) {
    return QWidget::keyPressEvent(event);
  }
  plan();
}

}  // namespace stashscope::ui
