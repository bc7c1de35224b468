#include "ui/panels/planner/replan_text.h"

#include <QCoreApplication>

#include "core/base/text.h"
#include "ui/document/choice_words.h"
#include "ui/panels/planner/answer_text.h"
#include "ui/panels/planner/device_answer.h"
#include "ui/text/counted.h"
#include "ui/text/note_text.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

/// The translation context of the texts in this file.
struct ReplannedAnswer {
  Q_DECLARE_TR_FUNCTIONS(ReplannedAnswer)
};

QString seconds_text(double seconds) {
  return ReplannedAnswer::tr("%1 s").arg(QString::number(seconds, 'f', 0));
}

/// `peak 6.91 GiB, 7.83 GiB in later steps, reserved 8.01 GiB, 3.83 s a step, 757 ms of it for
/// plans`.
QString price_text(const PlannedFit& fit) {
  const QString reserved =
      fit.reserved_bytes ? ReplannedAnswer::tr(", reserved %1").arg(bytes_text(*fit.reserved_bytes))
                         : QString();
  QString text =
      ReplannedAnswer::tr("peak %1").arg(bytes_text(fit.peak_bytes)) +
      later_steps_text(fit.peak_bytes, fit.later_peak_bytes, bytes_text(fit.later_peak_bytes)) +
      reserved + most_of_device_text(fit.device) +
      ReplannedAnswer::tr(", %1 a step").arg(time_text(fit.seconds));
  if (fit.extra_seconds <= 0) return text;
  return text + ReplannedAnswer::tr(", %1 of it for plans").arg(time_text(fit.extra_seconds));
}

QString largest_text(const ReplannedFit& fit, bool is_in_use) {
  const QString title = is_in_use ? ReplannedAnswer::tr("In use, with the plan made for this size")
                                  : ReplannedAnswer::tr("With a plan made for each size");
  if (!fit.largest) {
    return fit.is_at_least() ? ReplannedAnswer::tr("%1: no plan that fits was found").arg(title)
                             : ReplannedAnswer::tr("%1: <b>nothing fits</b>").arg(title);
  }
  if (fit.is_unlimited) {
    return ReplannedAnswer::tr("%1: no limit found up to %2").arg(title).arg(fit.largest->value);
  }
  QString text = fit.is_at_least() ? ReplannedAnswer::tr("%1: <b>at least %2</b>, %3")
                                   : ReplannedAnswer::tr("%1: <b>%2</b>, %3");
  text = text.arg(title).arg(fit.largest->value).arg(price_text(*fit.largest));
  const std::size_t passes = fit.largest->passes.size();
  if (passes == 0) return text;
  return ReplannedAnswer::tr("%1, with %2")
      .arg(text, counted(passes, ReplannedAnswer::tr("1 pass that adds no time"),
                         ReplannedAnswer::tr("%1 passes that add no time")));
}

QString next_text(const ReplannedFit& fit) {
  if (fit.is_stopped) return ReplannedAnswer::tr("Stopped before larger sizes were decided.");
  if (!fit.next) return {};
  const UnplannedSize& next = *fit.next;
  if (!next.fault.empty()) {
    return ReplannedAnswer::tr("%1 fails: %2.")
        .arg(next.value)
        .arg(note_text(next.fault).toHtmlEscaped());
  }
  if (next.bound_bytes) {
    return ReplannedAnswer::tr("%1 fails: no plan has a peak below %2.")
        .arg(next.value)
        .arg(bytes_text_beside(*next.bound_bytes, fit.memory_bytes));
  }
  if (next.device && next.device->high_bytes > *fit.device_bytes) {
    const std::int64_t most = next.device->high_bytes;
    return ReplannedAnswer::tr(
               "%1 was not decided in %2: with the CUDA context and the workspaces of libraries, "
               "the best plan found takes up to %3 of the device, above %4.")
        .arg(QString::number(next.value), seconds_text(fit.request.limit.seconds),
             bytes_text_beside(most, *fit.device_bytes),
             bytes_text_beside(*fit.device_bytes, most));
  }
  const std::int64_t lowest = next.reserved_bytes.value_or(next.later_peak_bytes);
  return (next.reserved_bytes
              ? ReplannedAnswer::tr(
                    "%1 was not decided in %2: the best plan found reserves %3, more than %4.")
              : ReplannedAnswer::tr(
                    "%1 was not decided in %2: the lowest peak found is %3, above %4."))
      .arg(QString::number(next.value), seconds_text(fit.request.limit.seconds),
           bytes_text_beside(lowest, fit.memory_bytes),
           bytes_text_beside(fit.memory_bytes, lowest));
}

}  // namespace

QString replanned_text(const ReplannedFit& fit, bool is_in_use) {
  QStringList sentences = {ReplannedAnswer::tr("%1.").arg(largest_text(fit, is_in_use))};
  if (fit.refused_value) {
    sentences << ReplannedAnswer::tr("%1 is refused.").arg(*fit.refused_value);
  }
  const QString next = next_text(fit);
  if (!next.isEmpty()) sentences << next;
  return planner_paragraph(sentences.join(u' '));
}

QString replanning_text(const Planning::Replanning& state) {
  if (state.value == 0)
    return planner_paragraph(ReplannedAnswer::tr("With a plan made for each size: …"));
  const std::int64_t whole_seconds = state.since_begin.elapsed() / 1000;
  const QString seconds = seconds_text(static_cast<double>(whole_seconds));
  const QString trying = ReplannedAnswer::tr("trying %1 for %2…").arg(state.value).arg(seconds);
  if (!state.largest) {
    return planner_paragraph(ReplannedAnswer::tr("With a plan made for each size: %1").arg(trying));
  }
  const std::int64_t largest = state.largest->value;
  return planner_paragraph(
      ReplannedAnswer::tr("With a plan made for each size: <b>at least %1</b>, %2")
          .arg(QString::number(largest),
               largest == state.value
                   ? ReplannedAnswer::tr("searching for a cheaper plan for %1…").arg(seconds)
                   : trying));
}

QString use_replanned_text(const Study& study, const LargestFit& asked, const PlannedFit& largest) {
  return ReplannedAnswer::tr("Set %1 to %2 with this plan")
      .arg(word_text(study, asked.dimensions.front()))
      .arg(largest.value);
}

QString use_replanned_tip(const PlannedFit& largest) {
  QStringList lines = {ReplannedAnswer::tr("Sets the size and switches its plan on, as one edit")};
  if (!largest.passes.empty()) lines << ReplannedAnswer::tr("Passes that it switches on:");
  for (const GraphPass* const pass : largest.passes) lines << shown(std::string(pass->title));
  return lines.join(u'\n');
}

}  // namespace stashscope::ui
