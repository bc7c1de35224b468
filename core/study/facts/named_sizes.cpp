#include "core/study/facts/named_sizes.h"

#include <algorithm>

namespace stashscope {

std::string word_of(const NamedSize& size) {
  const std::string word = word_of(size.unit);
  return word.empty() ? size.dimension : word;
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

SizeWords size_words(const Study& study) {
  const std::vector<NamedSize> sizes = named_sizes(study);
  SizeWords words;
  for (const NamedSize& each : sizes) {
    const std::string word = word_of(each);
    const auto is_word = [&](const NamedSize& other) {
      return word_of(other) == word || other.dimension == word;
    };
    if (std::ranges::count_if(sizes, is_word) == 1) words[each.dimension] = word;
  }
  return words;
}

std::string in_words(const std::string& formula, const SizeWords& words) {
  constexpr const char* between_names = " *+-/(),^'";
  std::string text;
  for (std::size_t at = 0; at < formula.size();) {
    const std::size_t end = std::min(formula.find_first_of(between_names, at), formula.size());
    const auto word = words.find(formula.substr(at, end - at));
    text += word == words.end() ? formula.substr(at, end - at) : word->second;
    if (end < formula.size()) text += formula[end];
    at = end + 1;
  }
  return text;
}

}  // namespace stashscope
