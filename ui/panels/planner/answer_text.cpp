#include "ui/panels/planner/answer_text.h"

#include <QCoreApplication>

#include "core/base/text.h"
#include "core/study/facts/plan_summary.h"
#include "core/study/facts/plan_words.h"
#include "core/study/facts/plans_on.h"
#include "core/study/facts/tensor_facts.h"
#include "ui/document/choice_words.h"
#include "ui/text/counted.h"
#include "ui/text/note_text.h"
#include "ui/text/texts.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr std::size_t shown_tensors = 5;
constexpr qsizetype longest_name = 44;

/// The translation context of the texts in this file.
struct PlannerAnswer {
  Q_DECLARE_TR_FUNCTIONS(PlannerAnswer)
};

/// A text escaped for rich text. More than `longest` characters are elided in the middle.
QString shortened(const std::string& full, qsizetype longest) {
  QString text = shown(full);
  if (text.size() > longest) text = text.left(longest / 2) + u"…"_s + text.right(longest / 2);
  return text.toHtmlEscaped();
}

QString name_text(const std::string& name) { return shortened(name, longest_name); }

QString percent_text(double part, double whole) {
  const double percent = whole == 0 ? 0 : 100 * part / whole;
  return QString::fromStdString(format_fixed(percent, percent < 10 ? 2 : 1)) + u" %"_s;
}

QString paragraph(const QString& text) { return u"<p style=\"margin: 2px 0\">%1</p>"_s.arg(text); }

QString tensor_row(std::int64_t bytes, const QString& what) {
  return u"<tr><td align=\"right\">%1</td><td>&nbsp;%2</td></tr>"_s.arg(bytes_text(bytes), what);
}

QString table(const QString& rows) {
  return u"<table cellpadding=\"1\" style=\"margin-left: 8px\">%1</table>"_s.arg(rows);
}

QString proof_text(const BudgetAnswer& answer, double step) {
  if (answer.is_proven_cheapest())
    return PlannerAnswer::tr(
        "Proven to be the cheapest plan within the budget, also among plans of single nodes and "
        "sequences.");
  const double least = std::max(0.0, answer.least_extra_seconds.value_or(0));
  if (!answer.feasible || least == 0)
    return PlannerAnswer::tr("It is not proven how far this plan is from the cheapest plan.");
  const double gap = answer.best.extra_seconds - least;
  return PlannerAnswer::
      tr("At most %1 (%2 of the step) slower than the cheapest plan, also among plans of single "
         "nodes and sequences.")
          .arg(time_text(gap), percent_text(gap, step));
}

QString floor_text(const StepPeakBound& floor) {
  return paragraph(PlannerAnswer::tr("Lower bound: <b>%1</b>. No plan has a lower peak.")
                       .arg(bytes_text(floor.bytes)));
}

QString floor_tensors(const Study& study, const StepPeakBound& floor) {
  if (!floor.node.valid()) return {};
  QString rows =
      tensor_row(floor.persistent_bytes,
                 PlannerAnswer::tr("persistent: parameters, inputs, constants, optimizer states"));
  const std::size_t count = std::min(shown_tensors, floor.tensors.size());
  for (std::size_t i = 0; i < count; ++i) {
    const ValueId value = floor.tensors[i];
    rows += tensor_row(study.sizes->bytes[value], name_text(study.graph().value(value).name));
  }
  const std::size_t more = floor.tensors.size() - count;
  return paragraph(PlannerAnswer::tr("The lower bound is the memory while %1 runs:")
                       .arg(name_text(describe(study.graph().node(floor.node), floor.node)))) +
         table(rows) +
         (more == 0 ? QString() : paragraph(PlannerAnswer::tr("and %1 more").arg(more)));
}

QString unmet_text(const Study& study, const BudgetAnswer& answer) {
  const QString verdict =
      answer.is_impossible() ? PlannerAnswer::tr("cannot be met") : PlannerAnswer::tr("is not met");
  QString text =
      paragraph(PlannerAnswer::tr("The budget of %1 <b>%2</b>. Lowest peak found: <b>%3</b>")
                    .arg(bytes_text(answer.request.budget_bytes), verdict,
                         plan_point_text(study, answer.best)));
  if (!answer.is_impossible() && answer.request.grain != PlanGranularity::sequence) {
    text +=
        paragraph(answer.request.grain == PlanGranularity::cluster
                      ? PlannerAnswer::tr("A plan of Nodes or of Sequences may meet the budget.")
                      : PlannerAnswer::tr("A plan of Sequences may meet the budget."));
  }
  return answer.floor ? text + floor_text(*answer.floor) : text;
}

/// The plans that the choices switch on, as rich text: their number, and their names in the plan
/// table. For a planned sequence, a short description.
QString plans_text(const Study& study, const Choices& choices) {
  if (choices.plans.sequence) return shown(plan_text(choices)).toHtmlEscaped();
  const std::vector<std::size_t> on = plans_on(study, choices.plans.config);
  if (on.empty()) return PlannerAnswer::tr("No plans.");
  const std::vector<std::string> names = plan_names(study);
  QString text = counted(on.size(), PlannerAnswer::tr("1 plan:"), PlannerAnswer::tr("%1 plans:"));
  for (const std::size_t row : on) {
    text += u"<br>&nbsp;&nbsp;"_s + shown(names[row]).toHtmlEscaped();
  }
  return text;
}

QString passes_text(const std::vector<const GraphPass*>& passes) {
  if (passes.empty()) return {};
  QString text = PlannerAnswer::tr("Passes switched on, because they take no time:");
  for (const GraphPass* const pass : passes) {
    text += u"<br>&nbsp;&nbsp;"_s + shown(std::string(pass->title)).toHtmlEscaped();
  }
  return paragraph(text);
}

QString failing_text(const Study& study, const FitPoint& point) {
  const QString fails = PlannerAnswer::tr("%1 fails: ").arg(point.value);
  if (point.variant == nullptr) return paragraph(fails + note_text(point.fault).toHtmlEscaped());
  QString text = fails + PlannerAnswer::tr("peak %1").arg(bytes_text(point.peak_bytes));
  const std::string node = peak_node(study, *point.variant);
  if (!node.empty()) text += PlannerAnswer::tr(" while %1 runs").arg(name_text(node));
  const auto largest = largest_at_peak(study, *point.variant, 1);
  if (!largest.empty()) {
    text += PlannerAnswer::tr("; largest tensor at that time: %1, %2")
                .arg(name_text(largest.front().name), bytes_text(largest.front().bytes));
  }
  return paragraph(text);
}

QString variant_text(const Study& study, const VariantFit& fit, const QString& title) {
  QString text;
  if (fit.largest) {
    const QString most = fit.is_unlimited
                             ? PlannerAnswer::tr("no limit found up to %1").arg(fit.largest->value)
                             : u"<b>%1</b>"_s.arg(fit.largest->value);
    text = paragraph(PlannerAnswer::tr("%1: %2, peak %3, %4 a step")
                         .arg(title, most, bytes_text(fit.largest->peak_bytes),
                              time_text(fit.largest->seconds)));
  } else {
    text = paragraph(PlannerAnswer::tr("%1: <b>nothing fits</b>").arg(title));
  }
  if (fit.refused_value) {
    text += paragraph(PlannerAnswer::tr("%1 is refused: %2")
                          .arg(*fit.refused_value)
                          .arg(note_text(fit.refusal).toHtmlEscaped()));
  }
  return fit.next ? text + failing_text(study, *fit.next) : text;
}

}  // namespace

QString more_time_text(double extra_seconds, double step_seconds) {
  if (extra_seconds <= 0) return PlannerAnswer::tr("no extra time");
  return PlannerAnswer::tr("+%1 (+%2)")
      .arg(time_text(extra_seconds), percent_text(extra_seconds, step_seconds));
}

void set_up_rich_label(QLabel& label, const QString& name) {
  label.setObjectName(name);
  label.setWordWrap(true);
  label.setTextFormat(Qt::RichText);
  label.setTextInteractionFlags(Qt::TextSelectableByMouse);
  QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  label.setSizePolicy(policy);
}

QString warning_text(const QString& text, const QPalette& palette) {
  return u"<span style=\"color: %1\">%2</span>"_s.arg(theme_of(palette).warning.name(),
                                                      text.toHtmlEscaped());
}

QString plan_point_text(const Study& study, const ParetoPoint& point) {
  return PlannerAnswer::tr("%1 (%2), %3")
      .arg(bytes_text(point.peak_bytes),
           change_text(study.baseline->timeline.peak_bytes, point.peak_bytes),
           more_time_text(point.extra_seconds, step_seconds(study, *study.baseline)));
}

QString answer_text(const Study& study, const BudgetAnswer& answer) {
  if (!answer.feasible) return unmet_text(study, answer);
  return paragraph(PlannerAnswer::tr("The budget of %1 is <b>met</b>: <b>%2</b>")
                       .arg(bytes_text(answer.request.budget_bytes),
                            plan_point_text(study, answer.best))) +
         paragraph(proof_text(answer, step_seconds(study, *study.baseline)));
}

QString taken_back_text(const Study& study, const BudgetAnswer& answer) {
  return paragraph(
      PlannerAnswer::tr("A plan for the budget of %1 was found; it is taken back: <b>%2</b>")
          .arg(bytes_text(answer.request.budget_bytes), plan_point_text(study, answer.best)));
}

QString proof_so_far_text(const Study& study, const BudgetAnswer& so_far) {
  if (!so_far.floor) return {};
  if (!so_far.feasible) return floor_text(*so_far.floor);
  return paragraph(proof_text(so_far, step_seconds(study, *study.baseline)));
}

QString answer_details(const Study& study, const BudgetAnswer& answer,
                       const std::vector<const GraphPass*>& passes) {
  const bool has_floor = !answer.feasible && answer.floor;
  return (has_floor ? floor_tensors(study, *answer.floor) : QString()) + passes_text(passes) +
         paragraph(plans_text(study, answer.best.choices)) +
         paragraph(PlannerAnswer::tr("The search took %1 s.")
                       .arg(QString::fromStdString(format_fixed(answer.seconds, 1))));
}

QString fit_answer_text(const Study& study, const LargestFit& fit) {
  return variant_text(study, fit.baseline, PlannerAnswer::tr("Without plans")) +
         variant_text(study, fit.current, PlannerAnswer::tr("Now"));
}

QString fit_summary(const Study& study, const LargestFit& fit) {
  QStringList names;
  for (const Dimension& each : fit.dimensions) names << word_text(study, each);
  names.removeDuplicates();
  const QString what = fit.question.label.empty() ? names.join(u", "_s) : shown(fit.question.label);
  const QString memory = bytes_text(fit.question.memory_bytes);
  if (!fit.current.largest) return PlannerAnswer::tr("fits %1: nothing").arg(memory);
  if (fit.current.is_unlimited) return PlannerAnswer::tr("fits %1: any %2").arg(memory, what);
  return PlannerAnswer::tr("fits %1: %2 %3").arg(memory, what).arg(fit.current.largest->value);
}

}  // namespace stashscope::ui
