#pragma once

#include <filesystem>
#include <vector>

#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// A planning problem read from a file. With n tasks and m edges, the file has a line
/// `n m persistent`, then n lines `cost memory`, then m lines `producer consumer`. The order of the
/// tasks in the file is a valid order; `persistent` counts the bytes that are always live.
struct PlanningInstance {
  TaskGraph graph;
  std::vector<TaskId> given_order;
};

/// Reads a problem from a file. Throws an input Error that names the file and the line of a fault.
PlanningInstance read_instance(const std::filesystem::path& path);

/// Writes one task number per line.
void write_sequence(const std::filesystem::path& path, const std::vector<TaskId>& sequence);

}  // namespace stashscope
