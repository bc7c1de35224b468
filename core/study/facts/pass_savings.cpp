#include "core/study/facts/pass_savings.h"

namespace stashscope {

namespace {

struct Memory {
  std::int64_t peak_bytes = 0;
  std::int64_t stashed_bytes = 0;
};

Memory memory_of(const Study& study) {
  const Timeline& timeline = study.baseline->timeline;
  return {timeline.peak_bytes, stashed_bytes(timeline, study.opportunities->stashed)};
}

/// The choices of `study` that determine its step without plans. The passes and the precision are
/// left out.
Choices without_passes(const Study& study) {
  Choices choices;
  choices.dims = study.choices.dims;
  choices.graph.same_dims = study.choices.graph.same_dims;
  choices.graph.goal = study.choices.graph.goal;
  choices.graph.what_ifs = study.choices.graph.what_ifs;
  choices.graph.gradient_type = study.choices.graph.gradient_type;
  choices.update = study.choices.update;
  return choices;
}

Memory memory_under(const Study& study, const Choices& choices) {
  return memory_of(*compute_study(study.model, choices, nullptr, Progress()));
}

}  // namespace

std::vector<PassSaving> pass_savings(const Study& study) {
  std::vector<PassSaving> savings;
  if (study.prepared->step.passes.empty()) return savings;
  Choices choices = without_passes(study);
  Memory before = memory_under(study, choices);
  for (const PassResult& result : study.prepared->step.passes) {
    const bool is_precision = !study.choices.graph.passes.contains(result.name);
    if (is_precision) choices.graph.precision = study.choices.graph.precision;
    if (!is_precision) choices.graph.passes.insert(result.name);
    const Memory after = result.changed == 0 ? before : memory_under(study, choices);
    savings.push_back(
        {result, before.peak_bytes, after.peak_bytes, before.stashed_bytes, after.stashed_bytes});
    before = after;
  }
  return savings;
}

}  // namespace stashscope
