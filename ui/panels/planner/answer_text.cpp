#include "ui/panels/planner/answer_text.h"

#include <QCoreApplication>

#include "core/base/text.h"
#include "core/study/facts/peak_floor.h"
#include "core/study/facts/plan_facts.h"
#include "core/study/facts/plan_summary.h"
#include "core/study/facts/plan_words.h"
#include "core/study/facts/plans_on.h"
#include "core/study/facts/tensor_facts.h"
#include "core/study/step/later_steps.h"
#include "ui/document/choice_words.h"
#include "ui/panels/planner/device_answer.h"
#include "ui/panels/planner/joint_text.h"
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

QString percent_text(double part, double whole) {
  const double percent = whole == 0 ? 0 : 100 * part / whole;
  return QString::fromStdString(format_fixed(percent, percent < 10 ? 2 : 1)) + u" %"_s;
}

QString tensor_row(std::int64_t bytes, const QString& what) {
  return u"<tr><td align=\"right\">%1</td><td>&nbsp;%2</td></tr>"_s.arg(bytes_text(bytes), what);
}

QString table(const QString& rows) {
  return u"<table cellpadding=\"1\" style=\"margin-left: 8px\">%1</table>"_s.arg(rows);
}

QString proof_text(const BudgetAnswer& answer, double step) {
  if (answer.is_proven_cheapest())
    return PlannerAnswer::tr(
        "This plan is proven to be the cheapest within the budget, even among plans made with "
        "Nodes or Sequences.");
  const double least = std::max(0.0, answer.least_extra_seconds.value_or(0));
  if (!answer.feasible || least == 0)
    return PlannerAnswer::tr(
        "It is not known how much slower this plan is than the cheapest plan.");
  const double gap = answer.best.extra_seconds - least;
  return PlannerAnswer::
      tr("This plan is at most %1 (%2 of the step) slower than the cheapest plan, even among plans "
         "made with Nodes or Sequences.")
          .arg(time_text(gap), percent_text(gap, step));
}

/// Why the lower bound is above the bytes that the step holds at its end; empty if the bound is not
/// above them.
QString bound_beside(const Study& study, const StepPeakBound& bound, std::int64_t held_bytes) {
  if (bound.bytes <= held_bytes || !bound.node.valid()) return {};
  return u' ' +
         PlannerAnswer::tr(
             "The lower bound is %1 above the bytes held at the end, because more is live while "
             "%2 runs.")
             .arg(bytes_text(bound.bytes - held_bytes),
                  planner_name(describe(study.graph().node(bound.node), bound.node)));
}

QString floor_text(const Study& study, const StepPeakBound& floor, std::int64_t budget_bytes) {
  return planner_paragraph(PlannerAnswer::tr("Lower bound: <b>%1</b>. No plan has a lower peak.")
                               .arg(bytes_text(floor.bytes))) +
         below_floor_text(study, budget_bytes, &floor);
}

QString moment_of(const Study& study, const StepPeakBound& floor) {
  return floor.node.valid()
             ? PlannerAnswer::tr("The lower bound is the memory while %1 runs:")
                   .arg(planner_name(describe(study.graph().node(floor.node), floor.node)))
             : PlannerAnswer::tr("The lower bound is the memory at the end of the step:");
}

QString floor_tensors(const Study& study, const StepPeakBound& floor) {
  QString rows = tensor_row(
      floor.persistent_bytes,
      PlannerAnswer::tr("persistent: %1").arg(shown(persistent_words(study)).toHtmlEscaped()));
  const std::size_t count = std::min(shown_tensors, floor.tensors.size());
  for (std::size_t i = 0; i < count; ++i) {
    const ValueId value = floor.tensors[i];
    rows += tensor_row(study.sizes->bytes[value], planner_name(study.graph().value(value).name));
  }
  const std::size_t more = floor.tensors.size() - count;
  return planner_paragraph(moment_of(study, floor)) + table(rows) +
         (more == 0 ? QString() : planner_paragraph(PlannerAnswer::tr("and %1 more").arg(more)));
}

/// The best plan of an answer, as in `plan_point_text`. If the budget limits reserved memory, the
/// reserved bytes stand first.
QString best_text(const Study& study, const BudgetAnswer& answer,
                  std::optional<std::int64_t> beside = {}) {
  if (!answer.reserved_bytes) return plan_point_text(study, answer.best, beside);
  return PlannerAnswer::tr("reserved %1, peak %2")
      .arg(bytes_text_beside(*answer.reserved_bytes, beside.value_or(*answer.reserved_bytes)),
           plan_point_text(study, answer.best, beside));
}

/// `12 GiB`, or `12 GiB for reserved memory`.
QString budget_text(const BudgetAnswer& answer, std::int64_t beside) {
  const QString bytes = bytes_text_beside(answer.request.budget_bytes, beside);
  return answer.reserved_bytes ? PlannerAnswer::tr("%1 for reserved memory").arg(bytes) : bytes;
}

/// Says how many bytes of optimizer states later steps hold from their start, because the captured
/// step makes these states while it runs. If the budget is for the captured step alone, also says
/// whether later steps meet it. Empty if the captured step makes no states.
QString later_states_text(const Study& study, const BudgetAnswer& answer) {
  const std::int64_t bytes = later_steps(study, *study.current).state_bytes;
  if (bytes == 0) return {};
  if (answer.reserved_bytes) {
    return planner_paragraph(
        PlannerAnswer::tr("Reserved memory includes later steps. From their start, they hold the "
                          "<b>%1</b> of optimizer states that this step makes.")
            .arg(bytes_text(bytes)));
  }
  if (answer.request.limits_later_steps) {
    return planner_paragraph(
        PlannerAnswer::tr("The budget is for later steps. From their start, they hold the "
                          "<b>%1</b> of optimizer states that this step makes.")
            .arg(bytes_text(bytes)));
  }
  const QString verdict = answer.later_peak_bytes > answer.request.budget_bytes
                              ? PlannerAnswer::tr("<b>more than the budget</b>")
                              : PlannerAnswer::tr("within the budget");
  return planner_paragraph(
      PlannerAnswer::tr("The budget is for the captured step. With this plan, later steps need "
                        "<b>%1</b>, %2: from their start, they hold the %3 of optimizer states "
                        "that this step makes.")
          .arg(bytes_text(answer.later_peak_bytes), verdict, bytes_text(bytes)));
}

/// Names the granularity that may find a faster step; empty if it cannot answer the same question.
QString joint_advice(const Study& study, const BudgetAnswer& answer) {
  if (!can_change_graph(study) || answer.request.allocator) return {};
  return planner_paragraph(PlannerAnswer::tr(
      "\"Joint\" also tries other forms of attention and loss, and micro-batches."));
}

QString unmet_text(const Study& study, const BudgetAnswer& answer) {
  const std::int64_t budget = answer.request.budget_bytes;
  const QString verdict =
      answer.is_impossible() ? PlannerAnswer::tr("cannot be met") : PlannerAnswer::tr("is not met");
  QString text = planner_paragraph(
      (answer.reserved_bytes
           ? PlannerAnswer::tr("The budget of %1 <b>%2</b>. Least found: <b>%3</b>")
           : PlannerAnswer::tr("The budget of %1 <b>%2</b>. Lowest peak found: <b>%3</b>"))
          .arg(budget_text(answer, answer.reserved_bytes.value_or(answer.best.peak_bytes)), verdict,
               best_text(study, answer, budget)));
  text += device_answer_text(answer);
  const bool is_above_floor = peak_floor(study).bytes <= budget;
  const bool can_help = !answer.is_impossible() && is_above_floor;
  const bool is_finer_possible =
      answer.request.grain != PlanGranularity::sequence && !study.graph().data().captured;
  if (can_help && is_finer_possible) {
    text += planner_paragraph(
        answer.request.grain == PlanGranularity::cluster
            ? PlannerAnswer::tr("A plan made with Nodes or Sequences may meet the budget.")
            : PlannerAnswer::tr("A plan made with Sequences may meet the budget."));
  }
  if (is_above_floor) text += joint_advice(study, answer);
  return answer.floor ? text + floor_text(study, *answer.floor, budget)
                      : text + below_floor_text(study, budget);
}

/// The plans that the choices switch on, as rich text: their number, and their names in the plan
/// table. For a planned sequence, a short description.
QString plans_text(const Study& study, const Choices& choices) {
  if (choices.plans.sequence) return shown(plan_text(choices)).toHtmlEscaped();
  const std::vector<std::size_t> on = plans_on(study, choices.plans.config);
  if (on.empty()) return PlannerAnswer::tr("No plans.");
  const std::vector<std::string> names = plan_names(study);
  QString text = counted(on.size(), PlannerAnswer::tr("1 plan:"), PlannerAnswer::tr("%1 plans:"));
  const std::vector<int> places = places_in_use(study, choices.plans.config, on);
  for (std::size_t i = 0; i < on.size(); ++i) {
    const int all = plan_row(study, on[i]).frequency;
    text += u"<br>&nbsp;&nbsp;"_s + shown(names[on[i]]).toHtmlEscaped();
    if (places[i] != all)
      text += PlannerAnswer::tr(": used in %1 of %2 places").arg(places[i]).arg(all);
  }
  return text;
}

/// The titles of passes as rich text, each on an indented line of its own.
QString titles_of(const std::vector<const GraphPass*>& passes) {
  QString titles;
  for (const GraphPass* const pass : passes) {
    titles += u"<br>&nbsp;&nbsp;"_s + shown(std::string(pass->title)).toHtmlEscaped();
  }
  return titles;
}

QString passes_text(const std::vector<const GraphPass*>& passes) {
  if (passes.empty()) return {};
  return planner_paragraph(PlannerAnswer::tr("Passes switched on, because they add no time:") +
                           titles_of(passes));
}

/// Better plans may have been left out because they keep more on the host than the limit allows.
/// Says which peak and time they would reach; empty if there are none.
QString host_limit_text(const Study& study, const BudgetAnswer& answer) {
  const auto& limit = study.choices.times.host_memory;
  if (!answer.left_out_for_host || !limit) return {};
  const PlanOutcome& plans = *answer.left_out_for_host;
  const double before =
      answer.joint != nullptr ? answer.joint->seconds_before : step_seconds(study, *study.baseline);
  return planner_paragraph(
      PlannerAnswer::tr("The memory of the host limits the plans: with <b>%1</b> on the host "
                        "instead of at most %2, a peak of %3 would take %4 a step. Planner > "
                        "Device that the step must fit has a field to allow more.")
          .arg(bytes_text(plans.host_bytes), bytes_text(*limit), bytes_text(plans.peak_bytes),
               time_text(before + plans.extra_seconds)));
}

QString verdict_text(const Study& study, const BudgetAnswer& answer) {
  if (answer.joint != nullptr) return joint_answer_text(answer);
  if (!answer.feasible) return unmet_text(study, answer) + later_states_text(study, answer);
  return later_states_text(study, answer) +
         planner_paragraph(
             PlannerAnswer::tr("The budget of %1 is <b>met</b>: <b>%2</b>")
                 .arg(budget_text(answer, answer.request.budget_bytes), best_text(study, answer))) +
         device_answer_text(answer) +
         planner_paragraph(proof_text(answer, step_seconds(study, *study.baseline))) +
         (answer.best.extra_seconds > 0 ? joint_advice(study, answer) : QString());
}

/// What helps if the step itself holds too many bytes. Names only what is not in use yet.
QString advice_below_floor(const Study& study) {
  if (study.graph().data().captured) {
    return PlannerAnswer::tr(
        "No plan frees these bytes. Choose a larger device, or a script that needs fewer of them.");
  }
  QStringList ways;
  if (!study.choices.graph.precision) ways << PlannerAnswer::tr("use mixed precision");
  if (!study.choices.update.release_gradients)
    ways << PlannerAnswer::tr("release the gradients early");
  if (ways.isEmpty())
    return PlannerAnswer::tr("No plan frees these bytes. Choose a larger device.");
  return PlannerAnswer::tr(
             "No plan frees these bytes. To need fewer of them, %1; otherwise, choose a larger "
             "device.")
      .arg(ways.join(PlannerAnswer::tr(" or ")));
}

}  // namespace

QString planner_name(const std::string& name) { return shortened(name, longest_name); }

QString reserved_beside(const std::optional<std::int64_t>& reserved, std::int64_t other) {
  return reserved ? PlannerAnswer::tr(", reserved %1").arg(bytes_text_beside(*reserved, other))
                  : QString();
}

QString planner_paragraph(const QString& text) {
  return u"<p style=\"margin: 2px 0\">%1</p>"_s.arg(text);
}

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

QString without_plans_text(const Study& study, std::int64_t peak_bytes) {
  const std::int64_t without = study.baseline->timeline.peak_bytes;
  return PlannerAnswer::tr("(%1 of %2 without plans)")
      .arg(change_text(without, peak_bytes), bytes_text(without));
}

QString plan_point_text(const Study& study, const ParetoPoint& point,
                        std::optional<std::int64_t> beside) {
  return PlannerAnswer::tr("%1 %2, %3")
      .arg(bytes_text_beside(point.peak_bytes, beside.value_or(point.peak_bytes)),
           without_plans_text(study, point.peak_bytes),
           more_time_text(point.extra_seconds, step_seconds(study, *study.baseline)));
}

QString answer_text(const Study& study, const BudgetAnswer& answer) {
  return verdict_text(study, answer) + host_limit_text(study, answer);
}

QString before_text(const Study& study, const BudgetAnswer& answer, const StepFigures& before,
                    const std::vector<const GraphPass*>& passes) {
  const std::int64_t peak = answer.best.peak_bytes;
  const QString time_before = time_text(before.seconds);
  const QString time = time_text(step_seconds(study, *study.baseline) + answer.best.extra_seconds);
  if (before.peak_bytes == peak && time_before == time) return {};
  // Percentages are left to the texts that compare with the step without plans.
  QString change = PlannerAnswer::tr("The search changed the peak from <b>%1</b> to <b>%2</b>")
                       .arg(bytes_text(before.peak_bytes), bytes_text(peak));
  if (answer.reserved_bytes && before.reserved_bytes) {
    change += PlannerAnswer::tr(", reserved memory from <b>%1</b> to <b>%2</b>")
                  .arg(bytes_text(*before.reserved_bytes), bytes_text(*answer.reserved_bytes));
  }
  if (time_before != time) {
    change += PlannerAnswer::tr(", a step from <b>%1</b> to <b>%2</b>").arg(time_before, time);
  }
  if (passes.empty()) return planner_paragraph(change + u'.');
  const QString switched = counted(passes.size(), PlannerAnswer::tr("1 pass switched on"),
                                   PlannerAnswer::tr("%1 passes switched on"));
  const PlanChoices& plans = answer.best.choices.plans;
  const bool has_plans = plans.sequence || plans.level > 0 || !plans.config.empty();
  return planner_paragraph((has_plans ? PlannerAnswer::tr("%1, with plans and %2.")
                                      : PlannerAnswer::tr("%1, with %2 and no plans."))
                               .arg(change, switched));
}

QString offer_text(const Study& study, const DeviceFit& offer) {
  const BudgetAnswer& answer = offer.answer;
  if (answer.joint != nullptr) return {};
  const double before = step_seconds(study, *study.current);
  const double after =
      step_seconds(*offer.study, *offer.study->baseline) + answer.best.extra_seconds;
  return planner_paragraph(
      PlannerAnswer::tr("With the passes below, which add no time, a plan for %1 has a peak of "
                        "<b>%2</b> and takes <b>%3 a step</b>. Now a step takes %4.")
          .arg(bytes_text(answer.request.budget_bytes),
               bytes_text(answer.best.peak_bytes) +
                   reserved_beside(answer.reserved_bytes, answer.best.peak_bytes),
               time_text(after), time_text(before)) +
      titles_of(offer.passes));
}

QString below_floor_text(const Study& study, std::int64_t budget_bytes,
                         const StepPeakBound* bound) {
  const PeakFloor floor = peak_floor(study);
  if (floor.bytes <= budget_bytes) return {};
  const QString holds = PlannerAnswer::tr("The step itself holds <b>%1</b> at its end: %2.");
  return planner_paragraph(
      holds.arg(bytes_text(floor.bytes), shown(words_of(floor)).toHtmlEscaped()) + u' ' +
      advice_below_floor(study) +
      (bound == nullptr ? QString() : bound_beside(study, *bound, floor.bytes)));
}

QString taken_back_text(const Study& study, const BudgetAnswer& answer) {
  return planner_paragraph(
      PlannerAnswer::tr("A plan for the budget of %1 was found, but is no longer in use: <b>%2</b>")
          .arg(budget_text(answer, answer.request.budget_bytes), best_text(study, answer)));
}

QString proof_so_far_text(const Study& study, const BudgetAnswer& so_far) {
  if (!so_far.floor) return {};
  if (!so_far.feasible) return floor_text(study, *so_far.floor, so_far.request.budget_bytes);
  return planner_paragraph(proof_text(so_far, step_seconds(study, *study.baseline)));
}

QString answer_details(const Study& study, const BudgetAnswer& answer,
                       const std::vector<const GraphPass*>& passes) {
  const QString seconds = QString::fromStdString(format_fixed(answer.seconds, 1));
  const QString took = planner_paragraph(PlannerAnswer::tr("The search took %1 s.").arg(seconds));
  if (answer.joint != nullptr) return explanation_text(answer) + took;
  const bool has_floor = !answer.feasible && answer.floor;
  return (has_floor ? floor_tensors(study, *answer.floor) : QString()) + passes_text(passes) +
         planner_paragraph(plans_text(study, answer.best.choices)) + took;
}

}  // namespace stashscope::ui
