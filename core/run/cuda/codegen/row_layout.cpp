#include "core/run/cuda/codegen/row_layout.h"

#include <algorithm>

#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/powers.h"

namespace stashscope::cuda {

namespace {

constexpr std::int64_t least_block = 128;
constexpr std::int64_t most_threads = 1024;
/// Limit on the threads of a row that is read in passes. Threads that do not keep their row need
/// few registers, so a multiprocessor can run several blocks at once if the blocks are small.
constexpr std::int64_t most_threads_of_passes = 512;
/// Limit on the numbers that a thread keeps in registers. In the largest block, a thread has only
/// 64 registers and keeps at most half of this limit.
constexpr std::int64_t kept_of_thread = 64;

struct Layout {
  std::int64_t threads = 1;
  std::int64_t width = 1;
  bool kept = false;
};

/// The number of threads for a row. A warp is enough for up to 1024 numbers, 32 in each thread.
std::int64_t threads_for(std::int64_t columns, std::int64_t width) {
  constexpr std::int64_t warp = 32;
  if (columns <= warp * 32) return std::min(warp, power_of_two((columns + width - 1) / width));
  return std::clamp(power_of_two((columns + 15) / 16), 2 * warp, most_threads);
}

Layout layout_of(const Rows& rows, const RowNeeds& needs) {
  if (rows.stride != 1 || rows.columns == 0) return {};
  Layout layout;
  const std::int64_t widest = even_width(widest_access(needs.elements), needs.even_runs);
  const std::int64_t even = even_width(widest, {rows.columns});
  layout.threads = threads_for(rows.columns, even);
  const std::int64_t packs = (rows.columns + layout.threads * even - 1) / (layout.threads * even);
  const std::int64_t room = layout.threads == most_threads ? kept_of_thread / 2 : kept_of_thread;
  layout.kept = needs.kept_numbers > 0 && packs * even * needs.kept_numbers <= room;
  layout.width = layout.kept ? even : widest;
  if (!layout.kept) layout.threads = std::min(layout.threads, most_threads_of_passes);
  return layout;
}

}  // namespace

RowPlan plan_rows(const Rows& rows, const RowNeeds& needs) {
  require_int(rows.columns);
  const Layout layout = layout_of(rows, needs);
  const std::int64_t threads = std::max(least_block, layout.threads);
  const std::int64_t rows_of_block = threads / layout.threads;
  return {
      with_arguments("RowLayout", {std::to_string(layout.threads), std::to_string(rows.count),
                                   std::to_string(rows.columns), std::to_string(rows.stride),
                                   std::to_string(layout.width), layout.kept ? "true" : "false"}),
      {std::max<std::int64_t>(1, (rows.count + rows_of_block - 1) / rows_of_block),
       static_cast<int>(threads)}};
}

}  // namespace stashscope::cuda
