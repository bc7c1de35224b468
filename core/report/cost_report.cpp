#include "core/report/cost_report.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/facts/assumed_rate.h"

namespace stashscope {

namespace {

using nlohmann::json;

std::string plan_line(const PlanRow& row, std::size_t number) {
  return "  Plan " + std::to_string(number) + ": " + format_seconds(row.cost.seconds) + ", " +
         format_number(row.cost.flops) + " flops  " + to_valid_utf8(row.config) + "\n";
}

std::string plan_lines(const Study& study) {
  if (study.plan_table->plans.empty()) return "";
  std::string text = "Extra time of each plan, summed over its occurrences:\n";
  for (std::size_t i = 0; i < study.plan_table->plans.size(); ++i)
    text += plan_line(study.plan_table->plans[i], i + 1);
  return text;
}

std::string rate_line(const Study& study) {
  const std::string rate = assumed_float32_rate(study);
  return rate.empty() ? "" : rate + "\n";
}

}  // namespace

std::string times_source(const Study& study) {
  const StepTimes& times = *study.times;
  const std::string measured = "measured on " + printable(times.measured_on);
  std::string predicted = "predicted for " + printable(study.choices.times.profile.name);
  if (times.measured == 0) return predicted;
  const std::string share =
      std::to_string(times.measured) + " of " + std::to_string(times.seconds.size()) + " nodes";
  return measured + " (" + share + ")" +
         (times.measured < times.seconds.size() ? ", other nodes " + predicted : "");
}

std::string step_time_text(const Study& study) {
  return "Time of a step, " + times_source(study) + ": " +
         format_seconds(step_seconds(study, *study.baseline)) + " before, " +
         format_seconds(step_seconds(study, *study.current)) + " after (+" +
         format_fixed(extra_seconds_percent(study), 1) + " %)\n" + rate_line(study) +
         plan_lines(study);
}

json cost_json(const Study& study) {
  return {{"flops", study.baseline->flops},
          {"extra_flops", extra_flops(study)},
          {"extra_percent", extra_percent(study)},
          {"transfer_bytes", study.current->transfer_bytes},
          {"transfer_seconds", transfer_seconds(study, *study.current)},
          {"overlap_transfers", !study.current->copies.empty()},
          {"waiting_seconds", waiting_seconds(study, *study.current)},
          {"host_bytes", study.current->host_bytes},
          {"profile", to_valid_utf8(study.choices.times.profile.name)},
          {"baseline_seconds", step_seconds(study, *study.baseline)},
          {"current_seconds", step_seconds(study, *study.current)},
          {"extra_seconds", extra_seconds(study)},
          {"extra_seconds_percent", extra_seconds_percent(study)},
          {"nodes", study.times->seconds.size()},
          {"measured_nodes", study.times->measured},
          {"measured_on", to_valid_utf8(study.times->measured_on)}};
}

}  // namespace stashscope
