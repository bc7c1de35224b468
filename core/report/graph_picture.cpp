#include "core/report/graph_picture.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/layout/place/layered.h"
#include "core/layout/svg/svg.h"
#include "core/recompute/forward_nodes.h"
#include "core/study/facts/named_sizes.h"
#include "core/study/facts/opened_operator.h"
#include "core/study/step/plan_effects.h"

namespace stashscope {

layout::Grouping grouping_of(const Study& study) {
  const Graph& graph = study.graph();
  return layout::make_grouping(graph, layout::sides_of(graph, *study.opportunities),
                               opened_operators(study));
}

layout::StepView step_view(const Study& study, const layout::Grouping& grouping) {
  const Variant& current = *study.current;
  std::vector<StashedValue> stashed = stashed_values(
      current.dataflow, forward_nodes(study.graph(), current.dataflow, *study.opportunities),
      current.timeline);
  return {
      study.graph(),
      current.dataflow,
      current.timeline,
      grouping,
      study.prepared->step.boundary.yield,
      seconds_by_node(study, current.dataflow),
      node_memory(current.dataflow, current.timeline, stashed),
      std::move(stashed),
      node_stashes(*study.opportunities, study.baseline->timeline, current.dataflow, study.pinned)};
}

std::string picture_title(const Study& study, const std::filesystem::path& file) {
  const std::vector<NamedSize> sizes = distinct_sizes(study);
  std::string title = to_valid_utf8(file.stem().string());
  for (std::size_t i = 0; i < std::min(sizes.size(), most_named_sizes); ++i) {
    title += ", " + to_valid_utf8(word_of(sizes[i])) + " " + std::to_string(sizes[i].value);
  }
  if (sizes.size() > most_named_sizes) title += ", …";
  return title + ": peak " + format_bytes(study.current->timeline.peak_bytes);
}

std::string graph_svg(const Study& study, const std::string& title,
                      const std::filesystem::path& program, std::vector<std::string>& warnings,
                      std::chrono::milliseconds time_limit) {
  const layout::Grouping grouping = grouping_of(study);
  const layout::StepView view = step_view(study, grouping);
  const layout::Outline outline =
      layout::make_outline(view.dataflow, grouping, layout::initially_open(grouping));
  const layout::LayoutRequest request =
      layout::make_request(outline, view.graph, view.dataflow, grouping, layout::svg_text_width);
  layout::LayoutResult placed;
  try {
    placed = layout::place_in_child(program, request, Progress(), time_limit);
  } catch (const Error& error) {
    warnings.push_back("the graph is drawn with a plain layout: " + std::string(error.what()));
    placed = layout::place(request, layout::place_layered);
  }
  return layout::to_svg(layout::draw(view, outline, placed), title);
}

}  // namespace stashscope
