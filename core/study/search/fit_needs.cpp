#include "core/study/search/fit_needs.h"

#include "core/study/reserved/reserved_memory.h"
#include "core/study/step/later_steps.h"

namespace stashscope {

namespace {

std::optional<std::int64_t> reserved(const Study& study, const Timeline& timeline,
                                     const FitQuestion& question) {
  if (!question.allocator) return std::nullopt;
  return reserved_memory(study.prepared->rules, timeline, *question.allocator).reserved_bytes;
}

std::optional<DeviceMemory> device(const Study& study, const Timeline& timeline,
                                   const FitQuestion& question) {
  if (!question.allocator || !question.device_bytes) return std::nullopt;
  return device_memory(study, timeline, *question.allocator, usual_other_memory());
}

}  // namespace

FitNeeds needs_of(const Study& study, const Timeline& timeline, const FitQuestion& question) {
  return {timeline.peak_bytes, later_steps(study.prepared->rules, timeline).peak_bytes,
          reserved(study, timeline, question), device(study, timeline, question)};
}

bool fits(const Study& study, const Timeline& timeline, const FitQuestion& question) {
  const std::int64_t memory = question.memory_bytes;
  if (later_steps(study.prepared->rules, timeline).peak_bytes > memory) return false;
  if (reserved(study, timeline, question).value_or(0) > memory) return false;
  const std::optional<DeviceMemory> taken = device(study, timeline, question);
  return !taken || taken->high_bytes <= *question.device_bytes;
}

}  // namespace stashscope
