#include "core/study/joint/plan_explanation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/joint/freed_tensors.h"
#include "core/study/search/plan_evaluator.h"
#include "core/study/step/planned_step.h"

namespace stashscope {

namespace {

using Kind = ExplainedChoice::Kind;

Kind kind_of(PlanType type) {
  if (type == PlanType::offload) return Kind::offload;
  return type == PlanType::compress ? Kind::compress : Kind::recompute;
}

/// `Recompute 12 FastGelu, each with 1 node before it`.
std::string title_of(const Study& study, const std::vector<const NodePlan*>& plans) {
  const NodePlan& first = *plans.front();
  const std::string entry = study.graph().node(first.node).op_type;
  const std::string places = std::to_string(plans.size()) + " " + printable(entry);
  if (first.type == PlanType::offload) return "Offload the results of " + places;
  if (first.type == PlanType::compress) {
    return "Store the results of " + places + " as " + std::string(name_of(first.kept_as));
  }
  const std::size_t before = first.subgraph.size() - 1;
  const std::string after =
      before == 0 ? "" : ", each with " + counted(before, "node", "nodes") + " before it";
  return "Recompute " + places + after;
}

std::string reason_of(PlanType type) {
  if (type == PlanType::offload) return " waits in host memory for the backward pass";
  if (type == PlanType::compress) return " is kept in a narrower type, which rounds it";
  return " is made again in the backward pass instead of being kept";
}

/// Shorter times count as 0: views, and copies for which no node waits, take no time.
constexpr double least_seconds = 1e-12;

std::string rate_text(std::int64_t bytes, double seconds) {
  if (bytes <= 0 || seconds <= 0) return "";
  const double milliseconds = 1000 * seconds;
  return ", " + format_bytes(static_cast<std::int64_t>(static_cast<double>(bytes) / milliseconds)) +
         " for each ms";
}

/// Explains each entry of a config by comparing the step with and without the entry, with all other
/// entries on.
class ConfigExplainer {
 public:
  explicit ConfigExplainer(const Study& study)
      : study_(study), evaluator_(study), all_(evaluator_.evaluate(study.config)) {}

  std::vector<ExplainedChoice> run() {
    for (const auto& entry : study_.config) explain(entry);
    std::ranges::stable_sort(explained_, std::greater(), rate);
    if (explained_.size() > 1 && rate(explained_.front()) > 0) {
      explained_.front().sentence.pop_back();
      explained_.front().sentence += ", the cheapest bytes of these plans.";
    }
    return std::move(explained_);
  }

 private:
  static double rate(const ExplainedChoice& each) {
    return static_cast<double>(each.saving_bytes) / std::max(least_seconds, each.seconds);
  }

  std::vector<const NodePlan*> plans_of(const RecomputeConfig::value_type& entry) const {
    std::vector<const NodePlan*> plans;
    for (const NodePlan* const each : study_.applied) {
      if (each->cluster == entry.first && each->type == entry.second.type) plans.push_back(each);
    }
    return plans;
  }

  void explain(const RecomputeConfig::value_type& entry) {
    const std::vector<const NodePlan*> plans = plans_of(entry);
    if (plans.empty()) return;
    RecomputeConfig without = study_.config;
    without.erase(entry.first);
    const PlanOutcome outcome = evaluator_.evaluate(without);
    std::vector<ValueId> freed;
    for (const NodePlan* const each : plans) {
      const Node& node = study_.graph().node(each->node);
      for (const std::size_t output : each->outputs) freed.push_back(node.outputs[output]);
    }
    const auto tensor = largest_of(study_, evaluator_.timeline(without), freed);
    ExplainedChoice choice;
    choice.kind = kind_of(entry.second.type);
    choice.choice = to_string(entry.first, entry.second);
    choice.changes_results = strategy_of(entry.second.type).lossy;
    if (tensor) choice.tensor = tensor->name;
    choice.saving_bytes = outcome.peak_bytes - all_.peak_bytes;
    choice.seconds = all_.extra_seconds - outcome.extra_seconds;
    // Both sums have the same times, and differ only by rounding.
    if (std::abs(choice.seconds) < least_seconds) choice.seconds = 0;
    choice.sentence = title_of(study_, plans) + ": " +
                      (tensor ? words_of(*tensor) + reason_of(entry.second.type) + "; " : "") +
                      effect_text(choice) + ".";
    explained_.push_back(std::move(choice));
  }

  static std::string effect_text(const ExplainedChoice& choice) {
    const std::string peak =
        choice.saving_bytes > 0
            ? "without this plan the peak would be " + format_bytes(choice.saving_bytes) + " higher"
            : "without this plan the peak would not be higher";
    if (choice.seconds < 0) return peak + ", and the plan saves " + format_seconds(-choice.seconds);
    return peak + ", and the plan adds " + format_seconds(choice.seconds) +
           rate_text(choice.saving_bytes, choice.seconds);
  }

  const Study& study_;
  PlanEvaluator evaluator_;
  PlanOutcome all_;
  std::vector<ExplainedChoice> explained_;
};

/// The nodes of one operator that a sequence runs again.
struct RepeatedOperator {
  std::size_t runs = 0;  ///< additional ones
  std::set<NodeId> nodes;
  double seconds = 0;
};

std::int64_t bytes_at_peak(const Timeline& timeline, const std::vector<ValueId>& values) {
  std::set<BufferId> buffers;
  for (const ValueId value : values) {
    const BufferId id = timeline.buffer_of[value];
    if (!id.valid()) continue;
    const Buffer& buffer = timeline.buffers[id];
    const bool is_at_peak = is_alive(buffer, timeline.peak_slot);
    if (is_at_peak && !buffer.persistent) buffers.insert(id);
  }
  std::int64_t bytes = 0;
  for (const BufferId id : buffers) bytes += timeline.buffers[id].bytes;
  return bytes;
}

ExplainedChoice explain_operator(const Study& study, const std::string& op,
                                 const RepeatedOperator& repeated) {
  const Timeline& timeline = study.baseline->timeline;
  std::vector<ValueId> made;
  for (const NodeId node : repeated.nodes) {
    std::ranges::copy_if(study.graph().topology().outputs[node], std::back_inserter(made),
                         [](ValueId value) { return value.valid(); });
  }
  const auto tensor = largest_of(study, timeline, made);
  ExplainedChoice choice;
  choice.kind = Kind::sequence;
  choice.choice = op + " x" + std::to_string(repeated.runs);
  if (tensor) choice.tensor = tensor->name;
  choice.saving_bytes = bytes_at_peak(timeline, made);
  choice.seconds = repeated.seconds;
  choice.sentence =
      "Run " + counted(repeated.nodes.size(), "node of ", "nodes of ") + printable(op) +
      " again, " + counted(repeated.runs, "additional run", "additional runs") + ": " +
      (tensor ? words_of(*tensor) + " is freed in between; " : "") +
      "the results of these nodes are " + format_bytes(choice.saving_bytes) +
      " of the peak without plans, and the additional runs take " + format_seconds(choice.seconds) +
      rate_text(choice.saving_bytes, choice.seconds) + ".";
  return choice;
}

/// Explains the operators that run again without taking time, such as operators on shapes.
ExplainedChoice explain_free_operators(const std::map<std::string, RepeatedOperator>& operators) {
  std::size_t runs = 0;
  std::vector<std::string> names;
  for (const auto& [op, each] : operators) {
    if (each.seconds > 0) continue;
    runs += each.runs;
    names.push_back(printable(op));
  }
  ExplainedChoice choice;
  choice.kind = Kind::sequence;
  if (names.empty()) return choice;
  choice.choice = join(names, ", ") + " x" + std::to_string(runs);
  choice.sentence = "Run nodes of " + join(names, ", ") +
                    " again, because nodes that run again read their results; they take no time.";
  return choice;
}

ExplainedChoice explain_order(const Study& study) {
  ExplainedChoice order;
  order.kind = Kind::sequence;
  order.choice = "order";
  order.saving_bytes = study.baseline->timeline.peak_bytes - study.current->timeline.peak_bytes;
  order.sentence = "Another order of the nodes: the peak falls by " +
                   format_bytes(order.saving_bytes) + ", and a step takes as long as before.";
  return order;
}

std::vector<ExplainedChoice> explain_sequence(const Study& study) {
  std::map<std::string, RepeatedOperator> operators;
  for (const auto& [node, runs] : repeated_nodes(*study.choices.plans.sequence)) {
    RepeatedOperator& each = operators[study.graph().node(node).op_type];
    each.runs += runs;
    each.nodes.insert(node);
    each.seconds += static_cast<double>(runs) * study.times->seconds[node];
  }
  std::vector<ExplainedChoice> explained;
  for (const auto& [op, each] : operators) {
    if (each.seconds > 0) explained.push_back(explain_operator(study, op, each));
  }
  std::ranges::stable_sort(explained, std::greater(), &ExplainedChoice::saving_bytes);
  ExplainedChoice others = explain_free_operators(operators);
  if (!others.choice.empty()) explained.push_back(std::move(others));
  if (explained.empty()) explained.push_back(explain_order(study));
  return explained;
}

}  // namespace

std::vector<ExplainedChoice> explain_plans(const Study& study) {
  return is_planned(study) ? explain_sequence(study) : ConfigExplainer(study).run();
}

}  // namespace stashscope
