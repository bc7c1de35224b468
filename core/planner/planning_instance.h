#pragma once

#include <filesystem>
#include <vector>

#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// A planning problem as a file states it: `n m fixed`, then n lines `cost memory`, then m lines
/// `producer consumer`; tasks are in a valid order, `fixed` is there throughout.
struct PlanningInstance {
  TaskGraph graph;
  std::vector<TaskId> given_order;
};

/// Throws an input Error that names the file and the line.
PlanningInstance read_instance(const std::filesystem::path& path);

/// Task numbers in order, one on each line.
void write_sequence(const std::filesystem::path& path, const std::vector<TaskId>& sequence);

}  // namespace stashscope
