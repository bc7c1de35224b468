#include "app/plan_arena.h"

#include <iostream>

#include "app/exit_codes.h"
#include "app/options.h"
#include "core/arena/arena_file.h"
#include "core/arena/arena_search.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"

namespace stashscope::app {

namespace {

std::string summary(const ArenaFile& file, const ArenaResult& result, double seconds) {
  const double ratio = arena_ratio(result.placement.capacity, result.load_bound);
  return "capacity " + std::to_string(result.placement.capacity) + " load bound " +
         std::to_string(result.load_bound) + " ratio " + format_fixed(ratio, 6) + " buffers " +
         std::to_string(file.buffers.size()) + " seconds " + format_fixed(seconds, 2);
}

std::string why_above(std::int64_t capacity, const ArenaResult& result) {
  const std::string asked = "--capacity: " + std::to_string(capacity) + " B ";
  if (result.lower_bound > capacity) {
    return asked + "is below " + std::to_string(result.lower_bound) + " B, the bytes that " +
           (result.lower_bound > result.load_bound ? "every placement needs"
                                                   : "live at the same time");
  }
  return asked + "was not reached; the time or move limit ended the search";
}

/// Replaces the placement that the search found by the placement in the file, if the file has one
/// and it needs less capacity.
void keep_placement_of(const ArenaFile& file, ArenaResult& result) {
  auto placement = placement_in(file);
  if (placement && placement->capacity < result.placement.capacity) {
    result.placement = *std::move(placement);
  }
}

}  // namespace

CLI::Option* add_arena_options(CLI::App& program, ArenaOptions& options) {
  CLI::Option* const arena =
      program.add_flag("--arena", options.is_chosen,
                       "Place the buffers of a static arena: a CSV file with the columns id, "
                       "lower, upper and size");
  program
      .add_option("--capacity", options.capacity,
                  "Bytes of the arena, such as 1MiB; default: the lowest that is found")
      ->type_name("BYTES")
      ->needs(arena);
  return arena;
}

int plan_arena(const std::string& instance, const ArenaOptions& options, const SearchLimit& limit,
               const std::string& out) {
  std::optional<std::int64_t> capacity;
  if (!options.capacity.empty()) capacity = memory_in("--capacity", options.capacity);
  const ArenaFile file = read_arena(instance);
  const SearchClock clock({}, Progress());
  ArenaResult result = find_placement(file.buffers, capacity, limit, Progress());
  keep_placement_of(file, result);
  const double seconds = clock.seconds();
  require_right(file.buffers, result.placement, "the placement", "the instance");
  if (!out.empty()) write_file_atomically(out, arena_text(file, result.placement.offsets));
  const bool is_met = !capacity || result.placement.capacity <= *capacity;
  std::cout << summary(file, result, seconds) << (is_met ? "\n" : " OVER CAPACITY\n");
  flush_output();
  if (is_met) return 0;
  std::cerr << "stashscope-plan: " << why_above(*capacity, result) << "\n";
  return budget_not_met;
}

}  // namespace stashscope::app
