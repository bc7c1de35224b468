#include "ui/panels/planner/fit_row.h"

#include <QKeyEvent>

#include "core/base/text.h"
#include "core/study/step/later_steps.h"
#include "ui/document/choice_words.h"
#include "ui/panels/planner/answer_text.h"
#include "ui/panels/planner/largest_text.h"
#include "ui/panels/planner/replan_text.h"
#include "ui/text/enabling.h"
#include "ui/text/texts.h"
#include "ui/widgets/labelled_row.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

FitRow::FitRow(Document& document, Planning& planning, const SearchOptions& options,
               QWidget* parent)
    : QWidget(parent),
      document_(document),
      planning_(planning),
      options_(options),
      dimension_(new QComboBox),
      memory_(new AmountField),
      find_(new QPushButton),
      answer_(new QLabel),
      use_(new QPushButton) {
  setObjectName(u"fit_row"_s);
  set_up_dimension();
  memory_->setObjectName(u"fit_memory"_s);
  memory_->setAccessibleName(tr("Memory"));
  memory_->setToolTip(tr(
      "Limit for the peak, such as 80 (GiB), or for the reserved memory if that must fit. If the "
      "field is empty, the device's memory is the limit."));
  find_->setObjectName(u"find_largest_button"_s);
  find_->setAutoDefault(true);
  use_->setObjectName(u"use_replanned_button"_s);
  use_->setAutoDefault(true);
  set_up_rich_label(*answer_, u"fit_answer"_s);
  FlowLayout* const row = make_row_above(*this, *answer_, tr("Lar&gest"), *dimension_);
  row->addWidget(dimension_);
  row->addWidget(new QLabel(tr("in")));
  row->addWidget(memory_);
  row->addWidget(find_);
  layout()->addWidget(use_);
  layout()->setAlignment(use_, Qt::AlignLeft);
  connect_all();
  answer_->hide();
  show_state();
}

void FitRow::set_up_dimension() {
  dimension_->setObjectName(u"fit_dimension"_s);
  dimension_->setAccessibleName(tr("Dimension"));
  dimension_->setToolTip(
      tr("Searches for the largest size of this dimension, such as batch. Several dimensions, by "
         "word or name and separated by commas, take the same size. With LABEL=NAME,… the answer "
         "calls this size LABEL."));
  dimension_->setEditable(true);
  // While the name is selected, a completer would take the first Return, which must start the
  // search.
  dimension_->setCompleter(nullptr);
  dimension_->setInsertPolicy(QComboBox::NoInsert);
  dimension_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  dimension_->setMinimumContentsLength(10);
  dimension_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void FitRow::connect_all() {
  connect(use_, &QPushButton::clicked, &planning_, &Planning::use_replanned);
  connect(&document_, &Document::choices_changed, this, &FitRow::show_state);
  connect(&document_, &Document::fits_changed, this, [this] {
    if (planning_.job() == PlanningJob::fit) planning_.abandon();
    show_state();
  });
  connect(&planning_, &Planning::progressed, this, [this] {
    if (planning_.replanning() != nullptr) say(state_text());
  });
  connect(find_, &QPushButton::clicked, this,
          [this] { planning_.job() == PlanningJob::fit ? planning_.stop() : find(); });
  connect(&document_, &Document::study_changed, this, &FitRow::list_dimensions);
  connect(&document_.exclusive_work(), &ExclusiveWork::changed, this, &FitRow::show_state);
  connect(&planning_, &Planning::job_changed, this, &FitRow::show_state);
  connect(&planning_, &Planning::fit_changed, this, &FitRow::show_state);
  connect(&planning_, &Planning::failed, this, [this](PlanningJob job, const Failure& failure) {
    if (job == PlanningJob::fit) show_failure(failure);
  });
}

void FitRow::list_dimensions() {
  memory_->setPlaceholderText(
      tr("%1", "memory of the device").arg(bytes_text(memory_to_fit(*document_.study()))));
  QStringList names;
  const Study& study = *document_.study();
  for (const Dimension& each : study.sizes->dims.dimensions) names << full_text(study, each);
  QStringList listed;
  for (int i = 0; i < dimension_->count(); ++i) listed << dimension_->itemText(i);
  if (names == listed) return show_state();
  dimension_->clear();
  for (const Dimension& each : study.sizes->dims.dimensions) {
    dimension_->addItem(full_text(study, each), shown(each.name));
  }
  show_state();
}

QString FitRow::why_fixed() { return tr("All sizes are fixed"); }

QString FitRow::how_to_vary() const {
  return is_captured(document_.study().get())
             ? tr("All sizes of this captured step are fixed. Capture it with "
                  "dims={\"batch\": 8}, where batch is an argument of the step, to vary them.")
             : tr("All sizes of this model are fixed. Export it with dynamic axes to vary them.");
}

void FitRow::focus_field() {
  dimension_->setFocus(Qt::ShortcutFocusReason);
  dimension_->lineEdit()->selectAll();
}

/// The name of the dimension that the list shows as this text or with this word; otherwise the text
/// itself.
QString FitRow::named(const QString& text) const {
  const int whole = dimension_->findText(text);
  const int listed = whole >= 0 ? whole : dimension_->findText(text + u" ("_s, Qt::MatchStartsWith);
  return listed < 0 ? text : dimension_->itemData(listed).toString();
}

FitQuestion FitRow::question() const {
  FitQuestion question = parse_fit(named(dimension_->currentText()).toStdString());
  for (std::string& name : question.names) {
    name = named(QString::fromStdString(name).trimmed()).toStdString();
  }
  const Study& study = *document_.study();
  const QString memory = memory_->amount().trimmed();
  question.memory_bytes =
      memory.isEmpty() ? memory_to_fit(study) : parse_bytes(memory.toStdString());
  if (question.memory_bytes == 0) {
    fail_usage("memory of 0 bytes", "no step fits", "write a size such as 80GiB");
  }
  question.allocator = document_.allocator_that_fits();
  if (memory.isEmpty() && question.allocator) {
    question.device_bytes = whole_memory(study.choices.times);
  }
  return question;
}

void FitRow::find() {
  if (document_.study() != nullptr && dimension_->count() == 0) {
    return say(warning_text(how_to_vary(), palette()));
  }
  const QString why = document_.why_wait();
  if (planning_.job() != PlanningJob::fit && !why.isEmpty()) {
    return say(why.toHtmlEscaped());
  }
  // The fields may have changed since the running search began.
  const auto failure = failure_of([this] {
    const FitQuestion asked = question();
    const ReplanRequest replan{options_.grain_of_plans(), options_.limit()};
    if (planning_.is_finding(asked, replan)) return;
    if (planning_.job() == PlanningJob::fit) planning_.abandon();
    planning_.find_fit(asked, replan);
  });
  if (failure) show_failure(*failure);
}

void FitRow::show_state() {
  const bool is_searching = planning_.job() == PlanningJob::fit;
  find_->setText(is_searching ? tr("Stop") : tr("Find"));
  const bool can_vary = document_.study() == nullptr || dimension_->count() > 0;
  dimension_->setEnabled(can_vary);
  memory_->setEnabled(can_vary);
  dimension_->lineEdit()->setPlaceholderText(can_vary ? QString() : why_fixed());
  const QString why_not = can_vary ? document_.why_wait() : why_fixed();
  enable_unless(*find_, is_searching ? QString() : why_not,
                is_searching
                    ? tr("Ends the search")
                    : tr("Searches for the largest size that fits into the memory (Return)"));
  show_use();
  say(state_text());
}

/// Whether the last answer is for what must fit now: tensors, or reserved memory.
bool FitRow::is_for_what_must_fit() const {
  return planning_.last_fit().question.allocator == document_.allocator_that_fits();
}

QString FitRow::state_text() const {
  const LargestFit* const fit = planning_.fit();
  const Planning::Replanning* const replanning = planning_.replanning();
  if (planning_.job() == PlanningJob::fit && replanning == nullptr) return tr("Searching…");
  const bool is_known = fit != nullptr || planning_.replanned() != nullptr;
  if (is_known && !is_for_what_must_fit()) return {};
  QString sizes = fit == nullptr ? QString() : fit_answer_text(planning_.asked_of_fit(), *fit);
  if (planning_.is_stopping()) return sizes + planner_paragraph(tr("Stopping…"));
  if (replanning != nullptr) return sizes + replanning_text(*replanning);
  const ReplannedFit* const replanned = planning_.replanned();
  if (replanned == nullptr) return sizes;
  return sizes + replanned_text(*replanned, planning_.is_replanned_in_use());
}

/// Shows or hides the button that sets the size together with its plan. If the button has the
/// keyboard focus when it is hidden, the focus moves to the button that searches.
void FitRow::show_use() {
  const ReplannedFit* const replanned = planning_.replanned();
  const bool is_offered = planning_.job() == PlanningJob::none && replanned != nullptr &&
                          replanned->largest && !planning_.is_replanned_in_use() &&
                          is_for_what_must_fit();
  if (!is_offered && use_->hasFocus()) find_->setFocus();
  use_->setVisible(is_offered);
  if (!is_offered) return;
  use_->setText(
      use_replanned_text(planning_.asked_of_fit(), planning_.last_fit(), *replanned->largest));
  use_->setToolTip(use_replanned_tip(*replanned->largest));
}

void FitRow::say(const QString& text) {
  if (text == answer_->text()) return;
  answer_->setText(text);
  answer_->setVisible(!text.isEmpty());
  Q_EMIT answered();
}

void FitRow::show_failure(const Failure& failure) { say(warning_text(failure.message, palette())); }

void FitRow::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Return && event->key() != Qt::Key_Enter) {
    return QWidget::keyPressEvent(event);
  }
  find();
}

}  // namespace stashscope::ui
