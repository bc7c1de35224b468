#pragma once

#include <QTimer>
#include <map>

#include "ui/document/document.h"
#include "ui/jobs/latest_answer.h"

namespace stashscope::ui {

/// Computes, on another thread, how the peak changes if the tick of a plan row is changed. Starts
/// when no choice has changed for a moment, and starts again after every new study. Tries a few
/// rows, then asks again which rows are wanted, so that rows that come into view are tried next.
class PeakChangesJob : public QObject {
  Q_OBJECT

 public:
  using Rows = std::vector<const PlanRow*>;
  using Changes = std::map<const PlanRow*, std::optional<std::int64_t>>;

  /// @param wanted the rows of the document's study whose change is wanted, the most urgent first;
  /// if there are none, the work ends
  PeakChangesJob(Document& document, std::function<Rows()> wanted, QObject* parent);

  /// Tries the wanted rows, unless the job is busy.
  void go_on();
  bool is_busy() const { return quiet_.isActive() || answers_.is_busy(); }

 Q_SIGNALS:
  void found(const stashscope::ui::PeakChangesJob::Changes& changes);

 private:
  void ask();

  Document& document_;
  std::function<Rows()> wanted_;
  QTimer quiet_;
  LatestAnswer<Changes> answers_{*this, JobThread::Urgency::background};
};

}  // namespace stashscope::ui
