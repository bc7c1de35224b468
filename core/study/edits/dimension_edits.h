#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

using DimensionSizes = std::map<std::string, std::int64_t>;

/// The sizes without those of a dimension. Patterns that cover it are written out for the other
/// dimensions they cover.
DimensionSizes without_size_of(const Study& study, const DimensionSizes& sizes,
                               const Dimension& dimension);

/// The choices with several dimensions set, by any of their names. Names that the model does not
/// have are left out.
Choices with_dimensions(const Study& study, Choices choices, const DimensionSizes& sizes);

/// Whether a dimension can be made one with others: sizes that passes or operators bring in cannot.
bool can_be_same(const Study& study, const Dimension& dimension);

/// The choices with one dimension standing for another, which keeps its name, and its size if it
/// was given one.
Choices with_same_dimension(const Study& study, Choices choices, const Dimension& dimension,
                            const Dimension& other);

/// The names that were chosen to stand for a dimension, sorted. Those that the model itself ties to
/// it are not among them.
std::vector<std::string> names_made_same(const Study& study, const Dimension& dimension);

/// The choices with one of these names on its own again. Both keep a size that was given.
Choices with_separate_name(const Study& study, Choices choices, const Dimension& dimension,
                           const std::string& name);

}  // namespace stashscope
