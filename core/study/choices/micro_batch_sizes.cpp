#include "core/study/choices/micro_batch_sizes.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/graph/micro_batches.h"

namespace stashscope {

namespace {

constexpr std::size_t most_named = 4;

/// The multiples of `count` around `size`.
std::string multiples(std::int64_t size, std::int64_t count) {
  const std::int64_t below = size / count * count;
  const std::int64_t first = below > 0 ? below : count;
  return std::to_string(first) + " or " + std::to_string(first + count);
}

/// Numbers of micro-batches that divide `size`, in words; empty if there are none.
std::string divisors(std::int64_t size) {
  std::vector<std::string> found;
  for (std::int64_t each = 2; each <= size && found.size() < most_named; ++each) {
    if (size % each == 0) found.push_back(std::to_string(each));
  }
  return found.empty() ? "" : ", or split it into " + join(found, " or ") + " micro-batches";
}

}  // namespace

bool is_split(const Graph& graph, const Dimension& dimension) {
  const MicroBatches* const split = graph.data().micro_batches.get();
  return split != nullptr && split->batch == dimension.symbol;
}

const Dimension* split_batch(const Graph& graph, const std::vector<Dimension>& dimensions) {
  const auto found = std::ranges::find_if(
      dimensions, [&](const Dimension& each) { return is_split(graph, each); });
  return found == dimensions.end() ? nullptr : &*found;
}

void check_micro_batches(const Graph& graph, const DimensionValues& values) {
  const std::int64_t count = runs_in_step(graph);
  for (const Dimension& each : values.dimensions) {
    if (!is_split(graph, each) || each.value % count == 0) continue;
    fail_usage("dimension '" + printable(each.name) + "'",
               "is " + std::to_string(each.value) + ", which " + std::to_string(count) +
                   " micro-batches do not divide",
               "give a multiple of " + std::to_string(count) + ", such as " +
                   multiples(each.value, count) + divisors(each.value));
  }
}

}  // namespace stashscope
