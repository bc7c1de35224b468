#include "core/study/edits/config_edits.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/study/edits/edits.h"

namespace stashscope {

namespace {

/// The first row of either plan table that meets the condition; null if none does.
template <class Condition>
const PlanRow* find_row(const Study& study, const Condition& condition) {
  for (const auto* rows : {&study.plan_table->plans, &study.plan_table->extensions}) {
    const auto row = std::ranges::find_if(*rows, condition);
    if (row != rows->end()) return &*row;
  }
  return nullptr;
}

/// A plan row that contains only this entry. It has as many occurrences as the entry's row in the
/// tables.
PlanRow row_of_entry(const Study& study, const std::string& cluster, const ClusterChoice& choice) {
  const PlanRow* const row = find_row(study, [&](const PlanRow& each) {
    const auto entry = each.entries.find(cluster);
    return entry != each.entries.end() && entry->second.type == choice.type && !choice.of_operator;
  });
  if (row == nullptr) {
    fail_usage("plan " + printable(to_string(cluster, choice)), "is no plan of this step",
               "choose a config of the plan table");
  }
  PlanRow single;
  single.type = choice.type;
  single.entries = {{cluster, choice}};
  single.frequency = row->frequency;
  return single;
}

}  // namespace

Choices with_config(const Study& study, Choices choices, const std::string& config, bool on) {
  const RecomputeConfig entries = parse_config(config);
  if (entries.empty()) fail_usage("", "no plan is given", "choose a config of the plan table");
  const PlanRow* const whole =
      find_row(study, [&](const PlanRow& each) { return each.entries == entries; });
  if (whole != nullptr) return with_plan(study, std::move(choices), *whole, on);
  for (const auto& [cluster, choice] : entries) {
    const PlanRow row = row_of_entry(study, cluster, choice);
    const int count = choice.count < 0 ? row.frequency : choice.count;
    choices = with_plan_count(study, std::move(choices), row, on ? count : 0);
  }
  return choices;
}

}  // namespace stashscope
