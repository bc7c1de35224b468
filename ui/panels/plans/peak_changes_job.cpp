#include "ui/panels/plans/peak_changes_job.h"

#include <QElapsedTimer>

#include "core/study/search/peak_changes.h"

namespace stashscope::ui {

namespace {

constexpr int quiet_milliseconds = 250;
/// One request stops trying rows after this time, so that its results are shown.
constexpr int milliseconds_a_question = 150;

PeakChangesJob::Changes changes_of(const Study& study, const PeakChangesJob::Rows& rows,
                                   const Progress& progress) {
  QElapsedTimer time;
  time.start();
  PeakChangesJob::Changes changes;
  for (const PlanRow* const row : rows) {
    changes.emplace(row, peak_change(study, *row, progress));
    if (time.elapsed() > milliseconds_a_question) break;
  }
  return changes;
}

}  // namespace

PeakChangesJob::PeakChangesJob(Document& document, std::function<Rows()> wanted, QObject* parent)
    : QObject(parent), document_(document), wanted_(std::move(wanted)) {
  quiet_.setSingleShot(true);
  quiet_.setInterval(quiet_milliseconds);
  connect(&quiet_, &QTimer::timeout, this, &PeakChangesJob::ask);
  const auto start_again = [this] {
    answers_.cancel();
    quiet_.start();
  };
  connect(&document_, &Document::choices_changed, this, start_again);
  connect(&document_, &Document::study_changed, this, start_again);
  connect(&document_.exclusive_work(), &ExclusiveWork::changed, this, start_again);
}

void PeakChangesJob::go_on() {
  if (!is_busy()) ask();
}

/// Does nothing during a run or another search, because trying rows would slow down the run or the
/// search.
void PeakChangesJob::ask() {
  const auto& study = document_.study();
  if (study == nullptr || !document_.why_wait().isEmpty() || !can_try_rows(*study)) return;
  Rows rows = wanted_();
  if (rows.empty()) return;
  answers_.ask([study, rows = std::move(rows)](
                   const Progress& progress) { return changes_of(*study, rows, progress); },
               [this, study](const std::optional<Changes>& changes) {
                 if (!changes || study != document_.study()) return;
                 Q_EMIT found(*changes);
                 ask();
               });
}

}  // namespace stashscope::ui
