#include "core/report/joint_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"

namespace stashscope {

namespace {

using nlohmann::json;

std::string step_text(const JointFacts& joint) {
  const std::string now = format_seconds(joint.seconds) + " a step";
  const std::string before = format_seconds(joint.seconds_before);
  return joint.seconds == joint.seconds_before ? now : now + " (before: " + before + ")";
}

std::string proof_text(const BudgetAnswer& answer) {
  const JointFacts& joint = *answer.joint;
  const std::string tried = "the " + counted(joint.combinations, "combination", "combinations") +
                            " of what-ifs and passes that were computed";
  if (answer.is_proven_cheapest()) return "; proven to be the fastest of all plans for " + tried;
  return "; no plan within the budget takes less than " + format_seconds(joint.least_seconds) +
         " with " + tried;
}

json explanation_json(const JointFacts& joint) {
  json list = json::array();
  for (const ExplainedChoice& each : joint.explanation) {
    list.push_back({{"kind", name_of(each.kind)},
                    {"choice", to_valid_utf8(each.choice)},
                    {"made", each.is_made},
                    {"changes_results", each.changes_results},
                    {"sentence", to_valid_utf8(each.sentence)},
                    {"tensor", to_valid_utf8(each.tensor)},
                    {"saving_bytes", each.saving_bytes},
                    {"seconds", each.seconds}});
  }
  return list;
}

}  // namespace

std::string joint_verdict(const BudgetAnswer& answer) {
  const JointFacts& joint = *answer.joint;
  const std::string found = exact_bytes(answer.best.peak_bytes) + " with " + step_text(joint);
  if (answer.feasible) return "met: " + found + proof_text(answer);
  if (!answer.is_impossible()) return "not met: the lowest peak found is " + found;
  return "cannot be met: no combination that was computed has a plan with a peak below " +
         exact_bytes(joint.floor_bytes) + "; the lowest peak found is " + found;
}

std::string explanation_text(const BudgetAnswer& answer) {
  std::string text;
  for (const ExplainedChoice& each : answer.joint->explanation) {
    text += std::string(each.is_made ? "  + " : "  - ") + printable(each.sentence, 2000) + "\n";
  }
  const bool is_held_back = std::ranges::any_of(
      answer.joint->explanation,
      [](const ExplainedChoice& each) { return !each.is_made && each.changes_results; });
  if (is_held_back) text += "  --allow-lossy lets the search make choices that change results.\n";
  if (!answer.joint->is_complete) {
    text += "  The search is not complete; with more time, it may find a faster step.\n";
  }
  return text;
}

json joint_json(const BudgetAnswer& answer) {
  const JointFacts& joint = *answer.joint;
  const GraphChoices& chosen = answer.best.choices.graph;
  json what_ifs = json::object();
  for (const auto& [name, value] : chosen.what_ifs) what_ifs[name] = value;
  json keys = {
      {"step_seconds", joint.seconds},          {"step_seconds_before", joint.seconds_before},
      {"peak_bytes_before", joint.peak_before}, {"floor_bytes", joint.floor_bytes},
      {"combinations", joint.combinations},     {"complete", joint.is_complete},
      {"what_ifs", std::move(what_ifs)},        {"passes", chosen.passes},
      {"explanation", explanation_json(joint)}};
  if (answer.feasible) keys["least_step_seconds"] = joint.least_seconds;
  return keys;
}

}  // namespace stashscope
