#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/base/search_limit.h"

namespace stashscope::app {

struct ArenaOptions {
  bool is_chosen = false;
  std::string capacity;  ///< such as 1MiB; empty: the lowest that is found
};

/// Declares --arena and --capacity. @return --arena
CLI::Option* add_arena_options(CLI::App& program, ArenaOptions& options);

/// Places the buffers of a static arena, writes them with their offsets to `out` unless it is
/// empty, and prints the capacity. Returns 0 or `budget_not_met`.
int plan_arena(const std::string& instance, const ArenaOptions& options, const SearchLimit& limit,
               const std::string& out);

}  // namespace stashscope::app
