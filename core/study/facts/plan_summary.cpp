#include "core/study/facts/plan_summary.h"

#include "core/base/advice.h"
#include "core/base/text.h"
#include "core/study/step/planned_step.h"

namespace stashscope {

Repeats repeats_of(const Choices& choices) {
  Repeats repeats;
  if (!choices.plans.sequence) return repeats;
  for (const auto& [node, more_runs] : repeated_nodes(*choices.plans.sequence)) {
    ++repeats.nodes;
    repeats.runs += more_runs;
  }
  return repeats;
}

std::string plan_text(const Choices& choices) {
  if (!choices.plans.sequence) {
    const std::string config = to_string(choices.plans.config);
    if (config.empty()) return "no plans";
    const std::string text =
        printable(config, 4000) +
        option_words({Advice::Action::use_plan, to_string(choices.plans.search)});
    return choices.plans.pinned.empty()
               ? text
               : text + ", " + std::to_string(choices.plans.pinned.size()) + " pinned";
  }
  const Repeats repeats = repeats_of(choices);
  return std::to_string(repeats.nodes) + " nodes run again, " + std::to_string(repeats.runs) +
         " additional runs in total, views not counted";
}

}  // namespace stashscope
