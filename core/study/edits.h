#pragma once

#include "core/study/study.h"

namespace stashscope {

/// The choices with every entry of a plan row switched on or off. Entries that a level switches on
/// are switched off by an explicit count of 0. Options that exclude a switched one go off.
/// @param study of the same model, tells which options exclude each other
Choices with_plan(const Study& study, Choices choices, const PlanRow& row, bool on);

/// The choices with `count` occurrences of every entry of a plan row; 0 is off, all of them is on.
Choices with_plan_count(const Study& study, Choices choices, const PlanRow& row, int count);

/// The choices with one dimension set. Patterns that cover it are written out for the other
/// dimensions they cover.
Choices with_dimension(const Study& study, Choices choices, const Dimension& dimension,
                       std::int64_t value);

/// How many occurrences of a row are chosen: 0 when it is off, at most its frequency.
int chosen_count(const Study& study, const PlanRow& row);

/// The nodes that a row is about: all entries with the subgraphs that would be recomputed, sorted.
std::vector<NodeId> nodes_of_plan(const Study& study, const PlanRow& row);

}  // namespace stashscope
