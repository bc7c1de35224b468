#include "ui/window/status_line.h"

#include "core/base/text.h"
#include "ui/document/choice_words.h"
#include "ui/panels/planner/answer_text.h"
#include "ui/panels/planner/largest_text.h"
#include "ui/text/counted.h"
#include "ui/text/note_text.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int notice_after = 1000;        // milliseconds
constexpr int offer_cancel_after = 2500;  // milliseconds

}  // namespace

StatusLine::StatusLine(Document& document, Planning& planning, QWidget* parent)
    : QStatusBar(parent),
      document_(document),
      planning_(planning),
      answer_(new QLabel),
      stage_(new QLabel),
      progress_(new QProgressBar),
      cancel_(new QToolButton),
      notes_(new QToolButton) {
  setObjectName(u"status_line"_s);
  setSizeGripEnabled(false);
  answer_->setObjectName(u"status_answer"_s);
  answer_->setTextFormat(Qt::RichText);
  answer_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  // A long text must not widen the window.
  answer_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  stage_->setObjectName(u"status_stage"_s);
  progress_->setObjectName(u"status_progress"_s);
  progress_->setAccessibleName(tr("Progress of the computation"));
  progress_->setRange(0, 1000);
  progress_->setTextVisible(false);
  progress_->setFixedSize(160, 8);
  cancel_->setObjectName(u"status_cancel"_s);
  cancel_->setText(tr("Cancel"));
  notes_->setObjectName(u"status_notes"_s);
  notes_->setAutoRaise(true);
  addWidget(answer_, 1);
  for (QWidget* const each : std::initializer_list<QWidget*>{stage_, progress_, cancel_, notes_}) {
    addPermanentWidget(each);
    each->hide();
  }
  for (QTimer* const timer : {&notice_, &offer_cancel_}) timer->setSingleShot(true);
  notice_.setInterval(notice_after);
  offer_cancel_.setInterval(offer_cancel_after);
  connect(&notice_, &QTimer::timeout, stage_, &QWidget::show);
  connect(&notice_, &QTimer::timeout, progress_, &QWidget::show);
  connect(&offer_cancel_, &QTimer::timeout, cancel_, &QWidget::show);
  connect(cancel_, &QToolButton::clicked, &document_, &Document::cancel);
  connect(notes_, &QToolButton::clicked, this, &StatusLine::notes_wanted);
  connect(&document_.study_job(), &StudyJob::busy_changed, this, &StatusLine::show_progress);
  connect(&document_.study_job(), &StudyJob::progressed, this,
          [this](double fraction, const QString& stage) {
            progress_->setValue(static_cast<int>(1000 * fraction));
            stage_->setText(stage);
          });
  connect(&document_, &Document::study_changed, this, &StatusLine::show_answer);
  connect(&document_, &Document::measured_changed, this, &StatusLine::show_answer);
  connect(&planning_, &Planning::fit_changed, this, &StatusLine::show_answer);
  show_answer();
}

void StatusLine::show_progress() {
  if (document_.study_job().is_busy()) {
    progress_->setValue(0);
    notice_.start();
    offer_cancel_.start();
    return;
  }
  notice_.stop();
  offer_cancel_.stop();
  for (QWidget* const each : std::initializer_list<QWidget*>{stage_, progress_, cancel_}) {
    each->hide();
  }
}

void StatusLine::show_answer() {
  update_notes();
  const auto& study = document_.study();
  if (study == nullptr) {
    answer_->setText(tr("No model is open"));
    return;
  }
  QStringList parts = {peak_text(*study)};
  if (document_.reserved() != nullptr) {
    parts << tr("reserved %1").arg(reserved_text(document_.reserved()->memory));
  }
  const QString no_backward = no_backward_text(*study);
  parts << (no_backward.isEmpty() ? cost_text(*study) : no_backward.toHtmlEscaped());
  const ReplannedFit* const replanned = planning_.replanned();
  if (planning_.fit() != nullptr || replanned != nullptr) {
    parts << fit_summary(planning_.asked_of_fit(), planning_.last_fit(), replanned,
                         planning_.is_replanned_in_use())
                 .toHtmlEscaped();
  }
  parts << run_text();
  answer_->setToolTip(no_backward.toHtmlEscaped());
  answer_->setText(u"&nbsp; "_s + parts.join(u" &nbsp;·&nbsp; "_s));
}

QString StatusLine::peak_text(const Study& study) const {
  const std::int64_t before = study.baseline->timeline.peak_bytes;
  const std::int64_t after = study.current->timeline.peak_bytes;
  const QString peak =
      before == after
          ? tr("Peak <b>%1</b>").arg(bytes_text(before))
          : tr("Peak <b>%1</b> %2").arg(bytes_text(after), without_plans_text(study, after));
  const std::size_t unknown = study.sizes->unknown.size();
  return unknown == 0 ? peak : tr("%1, unknown sizes: %2 (counted as 0)").arg(peak).arg(unknown);
}

/// Why the model has no backward pass; empty if the model has a backward pass.
QString StatusLine::no_backward_text(const Study& study) {
  const std::string& why = study.prepared->step.no_backward;
  return why.empty() ? QString() : tr("No backward pass: %1").arg(note_text(why));
}

QString StatusLine::cost_text(const Study& study) {
  const auto fixed = [](double number, int digits) {
    return QString::fromStdString(format_fixed(number, digits));
  };
  // A run replaces the predicted times, whatever device they were predicted for.
  const bool is_measured = study.times->measured > 0;
  const QString time =
      (is_measured ? tr("+%1 for plans (+%2 %), measured on %3")
                   : tr("+%1 for plans (+%2 %) on %3"))
          .arg(time_text(extra_seconds(study)), fixed(extra_seconds_percent(study), 1),
               shown(is_measured ? study.times->measured_on : study.choices.times.profile.name));
  const double transfers = waiting_seconds(study, *study.current);
  return transfers == 0 ? time
                        : tr("%1, including %2 for transfers").arg(time, time_text(transfers));
}

QString StatusLine::run_text() const {
  const Measured* const measured = document_.measured();
  if (measured == nullptr) return tr("not measured");
  const std::int64_t predicted = document_.study()->current->timeline.peak_bytes;
  return tr("measured %1, %2 compared with the prediction")
      .arg(bytes_text(measured->runs.current.peak_bytes),
           change_text(predicted, measured->runs.current.peak_bytes));
}

void StatusLine::update_notes() {
  const auto count = document_.notes().size();
  notes_->setVisible(count > 0);
  notes_->setText(counted(count, tr("1 note"), tr("%1 notes")));
  notes_->setToolTip(tr("Irregularities of this model and assumptions about it"));
}

}  // namespace stashscope::ui
