#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/study/choices/dimension_uses.h"
#include "core/study/step/study.h"

namespace stashscope {

/// A line of text about a step names at most this many sizes.
constexpr std::size_t most_named_sizes = 4;

/// A size of the model.
struct NamedSize {
  std::string dimension;  ///< the name of the dimension in the model
  DimensionUnit unit = DimensionUnit::none;
  std::int64_t value = 0;
};

/// The word that users have for the size: `batch`, `sequence` or `image`. If the unit of the size
/// is unknown, the name of the dimension.
std::string word_of(const NamedSize& size);

/// The sizes that can be set, in the order of the dimensions.
std::vector<NamedSize> named_sizes(const Study& study);

/// The sizes of `named_sizes`. A size that has the same word and value as an earlier size is left
/// out.
std::vector<NamedSize> distinct_sizes(const Study& study);

/// Words by dimension name. Leaves out a word if it stands for several sizes, or if another
/// dimension has this word as its name.
using SizeWords = std::map<std::string, std::string>;
SizeWords size_words(const Study& study);

/// Replaces each name that has a word by the word. `formula` may also be a text with a quoted name.
/// Results are such as `4*batch*sequence` or `dimension 'batch'`.
std::string in_words(const std::string& formula, const SizeWords& words);

}  // namespace stashscope
