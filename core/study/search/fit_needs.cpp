#include "core/study/search/fit_needs.h"

#include "core/study/reserved/reserved_memory.h"
#include "core/study/step/later_steps.h"

namespace stashscope {

namespace {

FitNeeds needs_of_tensors(const Study& study, const Timeline& timeline) {
  return {timeline.peak_bytes, later_steps(study.prepared->rules, timeline).peak_bytes, {}, {}};
}

void add_reserved(const Study& study, const Timeline& timeline, const FitQuestion& question,
                  FitNeeds& needs) {
  if (!question.allocator) return;
  needs.reserved_bytes =
      reserved_memory(study.prepared->rules, timeline, *question.allocator).reserved_bytes;
}

void add_device(const Study& study, const Timeline& timeline, const FitQuestion& question,
                FitNeeds& needs) {
  if (!question.allocator || !question.device_bytes) return;
  needs.device = device_memory(study, timeline, *question.allocator, question.others);
}

}  // namespace

FitNeeds needs_of(const Study& study, const Timeline& timeline, const FitQuestion& question) {
  FitNeeds needs = needs_of_tensors(study, timeline);
  add_reserved(study, timeline, question, needs);
  add_device(study, timeline, question, needs);
  return needs;
}

std::optional<FitNeeds> needs_if_it_fits(const Study& study, const Timeline& timeline,
                                         const FitQuestion& question) {
  FitNeeds needs = needs_of_tensors(study, timeline);
  if (needs.later_peak_bytes > question.memory_bytes) return std::nullopt;
  add_reserved(study, timeline, question, needs);
  if (needs.reserved_bytes.value_or(0) > question.memory_bytes) return std::nullopt;
  add_device(study, timeline, question, needs);
  if (needs.device && needs.device->high_bytes > *question.device_bytes) return std::nullopt;
  return needs;
}

}  // namespace stashscope
