#include "core/allocator/allocator_advice.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

/// The settings that are tried, as values of PYTORCH_CUDA_ALLOC_CONF. The first is the default.
constexpr std::string_view tried_settings[] = {
    "",
    "expandable_segments:True",
    "max_split_size_mb:32",
    "max_split_size_mb:64",
    "max_split_size_mb:128",
    "max_split_size_mb:256",
    "max_split_size_mb:512",
    "roundup_power2_divisions:2",
    "roundup_power2_divisions:4",
    "roundup_power2_divisions:8",
    "roundup_power2_divisions:16",
    "roundup_power2_divisions:32",
    "expandable_segments:True,roundup_power2_divisions:8",
    "expandable_segments:True,roundup_power2_divisions:16"};

std::vector<AllocatorSettings> settings_to_try(const std::optional<AllocatorSettings>& present) {
  std::vector<AllocatorSettings> list;
  for (const std::string_view text : tried_settings) list.push_back(parse_allocator_settings(text));
  if (present && std::ranges::find(list, *present) == list.end()) list.push_back(*present);
  return list;
}

LastGrowth named(const MemoryGrowth& growth,
                 const std::function<std::string(PlacedTensorId)>& name) {
  LastGrowth last{name(growth.tensor),       growth.bytes,
                  growth.grown_bytes,        growth.free_bytes,
                  growth.largest_free_bytes, {}};
  for (const PlacedTensorId tensor : growth.between) {
    std::string text = name(tensor);
    if (std::ranges::find(last.between, text) == last.between.end()) {
      last.between.push_back(std::move(text));
    }
  }
  return last;
}

}  // namespace

AllocatorAdvice try_settings(const PlayAllocator& play,
                             const std::function<std::string(PlacedTensorId)>& name,
                             const std::optional<AllocatorSettings>& present) {
  AllocatorAdvice advice;
  GrowthWatch counting(0);
  for (const AllocatorSettings& settings : settings_to_try(present)) {
    advice.trials.push_back(play(settings, advice.trials.empty() ? &counting : nullptr));
  }
  const auto best = std::ranges::min_element(advice.trials, {}, &AllocatorTrial::reserved_bytes);
  advice.best = static_cast<std::size_t>(best - advice.trials.begin());
  GrowthWatch describing(counting.growths());
  play(AllocatorSettings(), &describing);
  if (describing.growth()) advice.growth = named(*describing.growth(), name);
  return advice;
}

std::string reason_text(const AllocatorAdvice& advice) {
  if (!advice.growth) return "No memory is reserved.";
  const LastGrowth& growth = *advice.growth;
  std::string text = "With the default settings, memory is reserved for the last time for " +
                     printable(growth.tensor) + " (" + with_thousands(growth.bytes) + " B): ";
  if (growth.free_bytes < growth.bytes) {
    return text + "only " + with_thousands(growth.free_bytes) + " B are free then.";
  }
  text += with_thousands(growth.free_bytes) + " B are free then, but the largest piece has " +
          with_thousands(growth.largest_free_bytes) + " B.";
  if (growth.between.empty()) return text;
  std::vector<std::string> names;
  for (const std::string& name : growth.between) names.push_back(printable(name));
  return text + " Beside the largest pieces lie " + join(names, ", ") + ".";
}

}  // namespace stashscope
