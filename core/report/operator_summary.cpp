#include "core/report/operator_summary.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/recompute/apply.h"
#include "core/report/measured_report.h"

namespace stashscope {

namespace {

struct Pattern {
  int frequency = 0;
  int applied = 0;
};

/// By the shapes of a node's stashed outputs, as text: how many nodes have these shapes, and at how
/// many of these nodes plans are applied.
using Patterns = std::map<std::string, Pattern>;

std::string shape_text(const Graph& graph, ValueId value) {
  const auto& shape = table_shape(graph.value(value));
  if (!shape) return "unknown";
  std::string text;
  for (const Expr& dim : *shape) text += dim_text(graph, dim) + " x ";
  return text.empty() ? "1 x " : text;
}

std::string shapes_text(const Graph& graph, const NodePlan& plan) {
  std::vector<std::string> shapes;
  for (const std::size_t output : plan.outputs) {
    shapes.push_back(shape_text(graph, graph.node(plan.node).outputs[output]));
  }
  return join(shapes, " and ");
}

std::map<std::string, Patterns> patterns_by_operator(const Study& study) {
  const std::set<const NodePlan*> applied(study.applied.begin(), study.applied.end());
  std::map<std::string, Patterns> operators;
  for (const NodePlan& plan : study.opportunities->plans) {
    if (plan.type != PlanType::recompute) continue;
    Pattern& pattern =
        operators[study.graph().node(plan.node).op_type][shapes_text(study.graph(), plan)];
    ++pattern.frequency;
    if (applied.contains(&plan)) ++pattern.applied;
  }
  return operators;
}

bool is_on(const Patterns& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [](const auto& pattern) { return pattern.second.applied > 0; });
}

}  // namespace

std::string operator_summary(const ReportInput& input) {
  const Study& study = input.study;
  const std::string rule(74, '=');
  std::string text = "MemoryAlleviation Summary:\n    User config:\n    " +
                     to_valid_utf8(to_string(study.config)) + "\n    " + rule + "\n";
  for (const auto& [type, patterns] : patterns_by_operator(study)) {
    const std::string name = to_valid_utf8(type);
    text += "    Operator: " + name + "\n      AlleviationType: " +
            (is_on(patterns) ? "Recompute (on)" : "Disabled (enable with " + name + ":1)") +
            "\n      Patterns:\n";
    for (const auto& [shapes, pattern] : patterns) {
      text += "        PatternShape:" + shapes +
              "    Frequency:" + std::to_string(pattern.frequency) +
              "    Applied:" + std::to_string(pattern.applied) + "\n";
    }
    text += "    " + std::string(74, '-') + "\n";
  }
  text += "    " + rule + "\n";
  return input.measured ? text + measured_peak_line(*input.measured) : text;
}

}  // namespace stashscope
