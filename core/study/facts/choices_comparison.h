#pragma once

#include "core/study/facts/comparison_rows.h"

namespace stashscope {

/// A row for everything that the user decides but plans of clusters. Two studies whose choices lead
/// to different steps, or run elsewhere, differ in one at least.
void add_choices(ComparisonRows& rows, const Study& left, const Study& right);

}  // namespace stashscope
