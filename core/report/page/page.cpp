#include "core/report/page/page.h"

#include <map>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/layout/scene/band_colour.h"
#include "core/report/arena_chart.h"
#include "core/report/chart.h"
#include "core/report/module_report.h"
#include "core/report/page/page_answer.h"
#include "core/report/page/page_curve.h"
#include "core/report/page/page_method.h"
#include "core/report/page/page_parts.h"
#include "core/report/page/page_tables.h"
#include "core/study/facts/plan_facts.h"

namespace stashscope {

namespace {

using nlohmann::json;

using Texts = std::map<std::string, std::string, std::less<>>;

/// Replaces every `{{name}}` by its text. The inserted texts are not searched again, so they may
/// contain braces.
std::string filled(std::string_view page, const Texts& texts) {
  std::string result;
  while (true) {
    const std::size_t open = page.find("{{");
    result += page.substr(0, open);
    if (open == std::string_view::npos) return result;
    const std::size_t close = page.find("}}", open);
    result += texts.at(std::string(page.substr(open + 2, close - open - 2)));
    page.remove_prefix(close + 2);
  }
}

std::string escaped_lines(const std::string& text) {
  std::string escaped;
  for (const std::string& line : split(text, '\n')) escaped += xml_escaped(line) + "\n";
  return escaped;
}

/// JSON for a script element. `<` is escaped, because `</script` would end the element and `<!--`
/// would change how a browser reads the element.
std::string script_json(const json& data) {
  std::string text;
  for (const char c : data.dump()) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

json bands_of_page() {
  json bands = json::array();
  for (std::size_t i = 0; i < band_count; ++i) {
    const auto band = static_cast<Band>(i);
    bands.push_back({{"title", title_of(band)}, {"colour", layout::band_colour(band)}});
  }
  return bands;
}

std::string moves_html(const ReportInput& input) {
  if (!input.moves) return "";
  std::string html = "<h3>What to switch on next</h3>\n<ul class=\"moves\">\n";
  for (const Sentence& each : move_sentences(input)) html += "<li>" + each + "</li>\n";
  return html + "</ul>\n";
}

std::string paragraphs(const Study& study, const std::vector<Sentence>& sentences) {
  const std::string missing = no_backward_line(study);
  std::string html = missing.empty() ? "" : "<p><b>" + xml_escaped(trimmed(missing)) + "</b></p>\n";
  for (const Sentence& each : sentences) {
    html += (&each == &sentences.front() ? "<p class=\"peak\">" : "<p>") + each + "</p>\n";
  }
  return html;
}

std::string left_out(const char* what, std::size_t shown, std::size_t all) {
  if (shown == all) return "";
  return "<p class=\"note\">The table has the first " + std::to_string(shown) + " of " +
         std::to_string(all) + " " + what + ".</p>\n";
}

std::string curve_note(const Study& study, const PageLimits& limits) {
  const std::size_t slots = study.current->timeline.order.size();
  if (slots <= limits.columns) return "";
  return "<p class=\"note\">The curve has " + std::to_string(limits.columns) + " columns for " +
         with_thousands(static_cast<std::int64_t>(slots)) +
         " slots. Each shows the slot with the most memory in its stretch, so every peak is exact; "
         "dips within a stretch are not shown.</p>\n";
}

/// Says that the picture shows the arena with plans, and which capacity the arena without plans
/// has; empty if there is no arena without plans, or if both arenas are equal.
std::string shown_arena_html(const StepArenas& arenas) {
  const auto& without = arenas.baseline.arena;
  if (!without || without == arenas.current.arena) return "";
  return " This is the arena with plans; without plans, the step needs an arena of <b>" +
         format_bytes(without->capacity_bytes) + "</b>.";
}

std::string arena_html(const ReportInput& input, const PageLimits& limits) {
  if (!input.arenas) return "";
  const std::string title = "<h3>Static arena</h3>\n";
  if (const auto& failure = input.arenas->current.failure) {
    return title + "<p>There is none: " + xml_escaped(failure->what()) + ".</p>\n";
  }
  const StepArena& arena = *input.arenas->current.arena;
  const auto& [svg, left_out] =
      arena_chart(input.study, *input.study.current, arena, limits.arena_pieces);
  std::string html =
      title + "<p>With fixed offsets for everything but the " +
      format_bytes(arena.persistent_bytes) +
      " of persistent tensors, the step needs an arena of <b>" +
      format_bytes(arena.capacity_bytes) + "</b>, " + format_fixed(arena_ratio(arena), 4) +
      " times the load bound, which the dashed line shows." + shown_arena_html(*input.arenas) +
      " Each rectangle is a tensor or the workspace of a node in the colour of its use: slots "
      "across, offset up.</p>\n<figure>\n" +
      svg + "</figure>\n";
  if (left_out == 0) return html;
  return html + "<p class=\"note\">To keep the page small, the " +
         with_thousands(static_cast<std::int64_t>(left_out)) +
         " smallest rectangles are left out.</p>\n";
}

std::string icicle_note(const PageTensors& tensors) {
  std::string groups =
      tensors.has_all_groups
          ? ""
          : "<p class=\"note\">To keep the page small, the innermost groups are left out; their "
            "tensors stand in the groups around them.</p>\n";
  if (tensors.is_complete) return groups;
  return groups +
         "<p class=\"note\">To keep the page small, it has the tensors alive at the peak only, " +
         with_thousands(static_cast<std::int64_t>(tensors.summed)) +
         " of them summed by group. The picture therefore stays at the peak.</p>\n";
}

}  // namespace

std::string html_report(const ReportInput& input, const PageLimits& limits) {
  const Study& study = input.study;
  const TensorHomes homes = tensor_homes(study, *study.current);
  const std::vector<ModuleMemory> modules = module_memory(study, homes);
  const PageTensors tensors = page_tensors(study, homes, modules, limits);
  json plan_list = page_plans(study, limits);
  add_freed_tensors(study, tensors, plan_list);
  const json module_list = page_modules(study, modules, limits);
  const json data = {{"bands", bands_of_page()},
                     {"curve", page_curve(input, limits)},
                     {"peak",
                      {{"before", study.baseline->timeline.peak_bytes},
                       {"after", study.current->timeline.peak_bytes}}},
                     {"complete", tensors.is_complete},
                     {"tensors", tensors.columns},
                     {"trees", tensors.trees},
                     {"plans", plan_list},
                     {"modules", module_list}};
  const PageParts parts = page_parts();
  const Measurement* const measured = input.measured ? &input.measured->runs.current : nullptr;
  return filled(parts.page,
                {{"title", xml_escaped(input.model_path)},
                 {"style", std::string(parts.style)},
                 {"answer", paragraphs(study, answer_sentences(input, modules))},
                 {"moves", moves_html(input)},
                 {"icicle", memory_icicle_svg(study, homes)},
                 {"icicle_note", icicle_note(tensors)},
                 {"curve", memory_chart_svg(study, measured)},
                 {"curve_note", curve_note(study, limits)},
                 {"arena", arena_html(input, limits)},
                 {"runtime", xml_escaped(rules_of(study.choices.plans.search.reference).name)},
                 {"plans", plans_table(plan_list)},
                 {"plans_note", left_out("plans", plan_list.size(), plan_rows(study))},
                 {"modules", modules_table(module_list)},
                 {"modules_note", left_out("modules", module_list.size(), modules.size())},
                 {"method", method_html(input)},
                 {"report", escaped_lines(text_report(input))},
                 {"data", script_json(data)},
                 {"script", std::string(parts.script)}});
}

}  // namespace stashscope
