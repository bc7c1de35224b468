#include "ui/panels/planner/largest_text.h"

#include <QCoreApplication>

#include "core/study/facts/tensor_facts.h"
#include "ui/document/choice_words.h"
#include "ui/panels/planner/answer_text.h"
#include "ui/panels/planner/device_answer.h"
#include "ui/text/note_text.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

/// The translation context of the texts in this file.
struct FitAnswer {
  Q_DECLARE_TR_FUNCTIONS(PlannerAnswer)
};

/// A text such as `6.91 GiB, 7.83 GiB in later steps, reserved 8.01 GiB, with the CUDA context and
/// libraries up to 9.01 GiB`. Later steps are named only if they have another peak, the last two
/// amounts only if they were asked for.
/// @param memory the memory that the step must fit
QString peak_text(const FitPoint& point, std::int64_t memory) {
  return bytes_text_beside(point.peak_bytes, memory) +
         later_steps_text(point.peak_bytes, point.later_peak_bytes,
                          bytes_text_beside(point.later_peak_bytes, memory)) +
         reserved_beside(point.reserved_bytes, memory) + most_of_device_text(point.device);
}

QString failing_text(const Study& study, const FitPoint& point, std::int64_t memory) {
  const QString fails = FitAnswer::tr("%1 fails: ").arg(point.value);
  if (point.variant == nullptr)
    return planner_paragraph(fails + note_text(point.fault).toHtmlEscaped());
  QString text = fails + FitAnswer::tr("peak %1").arg(peak_text(point, memory));
  const std::string node = peak_node(study, *point.variant);
  if (!node.empty()) text += FitAnswer::tr(" while %1 runs").arg(planner_name(node));
  const auto largest = largest_at_peak(study, *point.variant, 1);
  if (!largest.empty()) {
    text += FitAnswer::tr("; largest tensor at that time: %1, %2")
                .arg(planner_name(largest.front().name), bytes_text(largest.front().bytes));
  }
  return planner_paragraph(text);
}

QString variant_text(const Study& study, const VariantFit& fit, const QString& title,
                     std::int64_t memory) {
  QString text;
  if (fit.largest) {
    const QString most = fit.is_unlimited
                             ? FitAnswer::tr("no limit found up to %1").arg(fit.largest->value)
                             : u"<b>%1</b>"_s.arg(fit.largest->value);
    text = planner_paragraph(
        FitAnswer::tr("%1: %2, peak %3, %4 a step")
            .arg(title, most, peak_text(*fit.largest, memory), time_text(fit.largest->seconds)));
  } else {
    text = planner_paragraph(FitAnswer::tr("%1: <b>nothing fits</b>").arg(title));
  }
  if (fit.refused_value) {
    text += planner_paragraph(FitAnswer::tr("%1 is refused: %2")
                                  .arg(*fit.refused_value)
                                  .arg(note_text(fit.refusal).toHtmlEscaped()));
  }
  return fit.next ? text + failing_text(study, *fit.next, memory) : text;
}

/// Whether two variants have the same answer, as they do while no plan is on.
bool is_same(const VariantFit& a, const VariantFit& b) {
  const auto figures = [](const std::optional<FitPoint>& point) {
    return point ? std::pair(point->value, point->peak_bytes)
                 : std::pair<std::int64_t, std::int64_t>();
  };
  return figures(a.largest) == figures(b.largest) && figures(a.next) == figures(b.next);
}

/// The largest size that fits, such as `batch 12`.
QString size_text(const VariantFit& fit, const QString& what) {
  if (!fit.largest) return FitAnswer::tr("nothing");
  if (fit.is_unlimited) return FitAnswer::tr("any %1").arg(what);
  return FitAnswer::tr("%1 %2").arg(what).arg(fit.largest->value);
}

/// The largest size with a plan made for it; empty if there is none.
QString size_text(const ReplannedFit& fit) {
  if (!fit.largest) return {};
  const QString value = QString::number(fit.largest->value);
  return fit.is_at_least() ? FitAnswer::tr("at least %1").arg(value) : value;
}

}  // namespace

QString fit_answer_text(const Study& study, const LargestFit& fit) {
  const bool has_passes = !study.choices.graph.passes.empty();
  const bool has_plans = !study.config.empty() || study.choices.plans.sequence;
  const std::int64_t memory = fit.question.memory_bytes;
  const QString without = has_passes ? FitAnswer::tr("Without plans, with the passes that are on")
                                     : FitAnswer::tr("Without plans");
  if (is_same(fit.baseline, fit.current)) {
    return variant_text(
        study, fit.current,
        has_plans ? FitAnswer::tr("With and without the plans that are on") : without, memory);
  }
  return variant_text(study, fit.baseline, without, memory) +
         variant_text(study, fit.current, FitAnswer::tr("With the plans that are on"), memory);
}

QString fit_summary(const Study& study, const LargestFit& fit, const ReplannedFit* replanned,
                    bool is_in_use) {
  QStringList names;
  for (const Dimension& each : fit.dimensions) names << word_text(study, each);
  names.removeDuplicates();
  const QString what = fit.question.label.empty() ? names.join(u", "_s) : shown(fit.question.label);
  const QString memory = bytes_text(fit.question.device_bytes.value_or(fit.question.memory_bytes));
  const QString planned = replanned == nullptr ? QString() : size_text(*replanned);
  const QString fits = fit.question.device_bytes
                           ? FitAnswer::tr("fits %1 with the CUDA context: %2")
                       : fit.question.allocator ? FitAnswer::tr("reserved memory fits %1: %2")
                                                : FitAnswer::tr("fits %1: %2");
  if (is_in_use) return fits.arg(memory, FitAnswer::tr("%1 %2").arg(what, planned));
  const QString now = size_text(fit.current, what);
  if (planned.isEmpty()) return fits.arg(memory, now);
  return fits.arg(memory,
                  FitAnswer::tr("%1, or %2 with a plan made for that size").arg(now, planned));
}

}  // namespace stashscope::ui
