#include "core/study/facts/named_sizes.h"

#include <algorithm>

namespace stashscope {

std::string word_of(const NamedSize& size) {
  switch (size.unit) {
    case DimensionUnit::samples:
      return "batch";
    case DimensionUnit::tokens:
      return "sequence";
    case DimensionUnit::pixels:
      return "image";
    case DimensionUnit::none:
      break;
  }
  return size.dimension;
}

std::vector<NamedSize> named_sizes(const Study& study) {
  std::vector<NamedSize> sizes;
  for (const Dimension& each : study.sizes->dims.dimensions) {
    sizes.push_back({each.name, unit_of(study.graph(), each), each.value});
  }
  return sizes;
}

std::vector<NamedSize> distinct_sizes(const Study& study) {
  std::vector<NamedSize> sizes;
  for (NamedSize& each : named_sizes(study)) {
    const bool is_said = std::ranges::any_of(sizes, [&](const NamedSize& other) {
      return word_of(other) == word_of(each) && other.value == each.value;
    });
    if (!is_said) sizes.push_back(std::move(each));
  }
  return sizes;
}

}  // namespace stashscope
