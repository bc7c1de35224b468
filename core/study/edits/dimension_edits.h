#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

using DimensionSizes = std::map<std::string, std::int64_t>;

/// The sizes without the size of `dimension`. A pattern that covers `dimension` is replaced by one
/// entry for each other dimension that the pattern covers.
DimensionSizes without_size_of(const Study& study, const DimensionSizes& sizes,
                               const Dimension& dimension);

/// The choices with several dimensions set, by any of their names. Names that the model does not
/// have are ignored.
Choices with_dimensions(const Study& study, Choices choices, const DimensionSizes& sizes);

/// Whether a dimension can be unified with another one. Dimensions that passes or operators
/// introduce cannot be unified.
bool can_be_same(const Study& study, const Dimension& dimension);

/// The choices with `dimension` unified with `other`; both are then called `other`. The size given
/// for `other` applies to both. If `other` has no given size, the size given for `dimension`
/// applies to both.
Choices with_same_dimension(const Study& study, Choices choices, const Dimension& dimension,
                            const Dimension& other);

/// The names that the user unified with a dimension, sorted. Does not include names that the model
/// itself unifies with the dimension.
std::vector<std::string> names_made_same(const Study& study, const Dimension& dimension);

/// The choices with `name`, one of `names_made_same`, separated from `dimension` again. If a size
/// was given for the unified dimension, both dimensions keep this size.
Choices with_separate_name(const Study& study, Choices choices, const Dimension& dimension,
                           const std::string& name);

}  // namespace stashscope
