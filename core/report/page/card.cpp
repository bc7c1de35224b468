#include "core/report/page/card.h"

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/chart.h"
#include "core/report/graph_picture.h"
#include "core/report/page/page_tables.h"
#include "core/report/report.h"
#include "core/study/facts/plan_facts.h"

namespace stashscope {

namespace {

constexpr std::size_t rows_of_card = 12;

std::string peak_line(const Study& study, const std::string& model_path) {
  std::string line = picture_title(study, model_path);
  if (!study.applied.empty() || study.choices.plans.sequence) {
    line += ", " + format_bytes(study.baseline->timeline.peak_bytes) +
            " without plans; the step takes " +
            format_seconds(step_seconds(study, *study.current)) + " (" +
            format_fixed(extra_seconds_percent(study), 1) + " % more)";
  }
  return xml_escaped(line + unknown_sizes_clause(study));
}

std::string table_of(const Study& study) {
  const std::size_t all = plan_rows(study);
  if (all == 0) return "";
  const nlohmann::json plans = page_plans(study, {.rows = rows_of_card});
  const std::string note =
      plans.size() == all
          ? ""
          : "<p>and " + counted(all - plans.size(), "plan", "plans") + " more</p>\n";
  return "<table>\n" + plans_table(plans) + "</table>\n" + note;
}

}  // namespace

std::string study_card(const Study& study, const std::string& model_path) {
  return "<div class=\"stashscope\">\n<p><b>" + peak_line(study, model_path) + "</b></p>\n" +
         memory_chart_svg(study, nullptr) + table_of(study) + "</div>\n";
}

}  // namespace stashscope
