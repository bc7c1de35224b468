#include "core/study/facts/peak_floor.h"

#include <algorithm>
#include <functional>

#include "core/base/text.h"
#include "core/study/facts/step_tensors.h"

namespace stashscope {

PeakFloor peak_floor(const Study& study) {
  const Variant& variant = *study.baseline;
  const IdVector<BufferId, Band> bands = band_of_buffers(study, variant);
  PeakFloor floor;
  for (const BufferId id : IdRange<BufferId>(bands.size())) {
    const Buffer& buffer = variant.timeline.buffers[id];
    if (!buffer.persistent && !buffer.returned) continue;
    floor.bytes += buffer.bytes;
    of(floor.parts, bands[id]) += buffer.bytes;
  }
  return floor;
}

std::string words_of(const PeakFloor& floor) {
  std::vector<std::pair<std::int64_t, std::string>> parts;
  for (std::size_t i = 0; i < band_count; ++i) {
    if (floor.parts[i] == 0) continue;
    parts.emplace_back(floor.parts[i], std::string(title_of(static_cast<Band>(i))));
  }
  std::ranges::stable_sort(parts, std::greater(), [](const auto& part) { return part.first; });
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i].second + " " + format_bytes(parts[i].first);
  }
  return text;
}

std::string persistent_words(const Study& study) {
  const Variant& variant = *study.baseline;
  std::string words = "parameters, inputs, constants";
  const auto& role = study.prepared->rules.role;
  const bool has_states = std::ranges::any_of(variant.timeline.buffers, [&](const Buffer& each) {
    // Buffers of values that plans add have no role.
    const bool has_role = each.root.index() < role.size();
    return each.state ||
           (each.persistent && has_role && role[each.root] == ValueRole::optimizer_state);
  });
  return has_states ? words + ", optimizer states" : words;
}

}  // namespace stashscope
