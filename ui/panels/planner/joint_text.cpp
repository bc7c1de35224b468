#include "ui/panels/planner/joint_text.h"

#include <QCoreApplication>

#include "ui/panels/planner/answer_text.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

class JointAnswer {
  Q_DECLARE_TR_FUNCTIONS(JointAnswer)
};

QString joint_proof_text(const BudgetAnswer& answer) {
  if (!answer.feasible || answer.joint->combinations == 0) return {};
  if (answer.is_proven_cheapest()) {
    return JointAnswer::tr(
        "This step is proven to be the fastest within the budget, with any plan "
        "and any combination that was tried.");
  }
  const JointFacts& joint = *answer.joint;
  return JointAnswer::tr(
             "With any plan and any combination that was tried, a step within the "
             "budget takes at least %1, %2 less than this one.")
      .arg(time_text(joint.least_seconds), time_text(joint.seconds - joint.least_seconds));
}

QString sentences(const JointFacts& joint, bool is_made) {
  QString text;
  for (const ExplainedChoice& each : joint.explanation) {
    if (each.is_made != is_made) continue;
    text += u"<br>&nbsp;&nbsp;"_s + shown(each.sentence).toHtmlEscaped();
  }
  return text;
}

}  // namespace

QString joint_answer_text(const BudgetAnswer& answer) {
  const JointFacts& joint = *answer.joint;
  const std::int64_t budget = answer.request.budget_bytes;
  const std::int64_t peak = answer.best.peak_bytes;
  const QString verdict =
      answer.feasible ? JointAnswer::tr("The budget of %1 is <b>met</b>: <b>%2, %3 a step</b>")
      : answer.is_impossible()
          ? JointAnswer::tr(
                "The budget of %1 <b>cannot be met</b>. Lowest peak found: <b>%2, %3 "
                "a step</b>")
          : JointAnswer::tr(
                "The budget of %1 <b>is not met</b>. Lowest peak found: <b>%2, %3 a step</b>");
  QString text = planner_paragraph(verdict.arg(
      bytes_text_beside(budget, peak), bytes_text_beside(peak, budget), time_text(joint.seconds)));
  if (answer.is_impossible()) {
    text += planner_paragraph(
        JointAnswer::tr("Lower bound: <b>%1</b>. No combination that was tried has a plan with a "
                        "lower peak.")
            .arg(bytes_text(joint.floor_bytes)));
  }
  const QString proof = joint_proof_text(answer);
  return proof.isEmpty() ? text : text + planner_paragraph(proof);
}

QString explanation_text(const BudgetAnswer& answer) {
  const JointFacts& joint = *answer.joint;
  const QString made = sentences(joint, true);
  const QString left_out = sentences(joint, false);
  QString text =
      planner_paragraph(made.isEmpty() ? JointAnswer::tr("Nothing needs to change.")
                                       : JointAnswer::tr("What was chosen, and why:") + made);
  if (!left_out.isEmpty()) {
    text += planner_paragraph(JointAnswer::tr("What was left out, and why:") + left_out);
  }
  if (!joint.is_complete) {
    text += planner_paragraph(
        JointAnswer::tr("The search is not complete. With more time, it may find a faster step."));
  }
  return text;
}

}  // namespace stashscope::ui
