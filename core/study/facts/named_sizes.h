#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/study/choices/dimension_uses.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The largest number of sizes that a line about a step names.
constexpr std::size_t most_named_sizes = 4;

/// A size of the model.
struct NamedSize {
  std::string dimension;  ///< its name in the model
  DimensionUnit unit = DimensionUnit::none;
  std::int64_t value = 0;
};

/// The word that users have for the size: `batch`, `sequence` or `image`. If it is unknown what the
/// size counts, the name of the dimension.
std::string word_of(const NamedSize& size);

/// The sizes that can be set, in the order of the dimensions.
std::vector<NamedSize> named_sizes(const Study& study);

/// The sizes worth a place in a line. Of the sizes with the same word and value, only the first.
std::vector<NamedSize> distinct_sizes(const Study& study);

/// The names of sizes that have a word of their own, with the word. A word that several sizes have,
/// or that is the name of a size, stands for none of them.
using SizeWords = std::map<std::string, std::string>;
SizeWords size_words(const Study& study);

/// The formula with words instead of the names that have one: `4*batch*sequence`.
std::string in_words(const std::string& formula, const SizeWords& words);

}  // namespace stashscope
