#pragma once

#include "core/study/facts/comparison_rows.h"

namespace stashscope {

/// Adds one row per choice of the user, except for plans by cluster. If one of these choices makes
/// the steps or the devices of the two studies differ, at least one of the rows differs.
void add_choices(ComparisonRows& rows, const Study& left, const Study& right);

}  // namespace stashscope
