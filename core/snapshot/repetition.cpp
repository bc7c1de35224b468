#include "core/snapshot/repetition.h"

#include <algorithm>
#include <vector>

namespace stashscope {

namespace {

constexpr std::size_t least_times = 3;
constexpr std::size_t most_periods_behind = 2;

/// The Z array of the reversed sequence: for each position, how many keys from there on equal the
/// keys at the start of the reversed sequence.
std::vector<std::size_t> matches_from_end(std::span<const std::uint32_t> keys) {
  const std::size_t size = keys.size();
  const auto key = [&](std::size_t at) { return keys[size - 1 - at]; };
  std::vector<std::size_t> matches(size);
  std::size_t begin = 0;
  std::size_t end = 0;
  for (std::size_t at = 1; at < size; ++at) {
    std::size_t length = at < end ? std::min(end - at, matches[at - begin]) : 0;
    while (at + length < size && key(length) == key(at + length)) ++length;
    matches[at] = length;
    if (at + length <= end) continue;
    begin = at;
    end = at + length;
  }
  return matches;
}

/// A periodic part of a sequence that cannot be made longer: [begin, end).
struct Run {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t period = 1;

  std::size_t length() const { return end - begin; }
};

/// The longest run of at least two periods that ends at `end`, extended beyond `end` as far as its
/// period continues.
Run longest_run(std::span<const std::uint32_t> keys, std::size_t end) {
  const std::vector<std::size_t> matches = matches_from_end(keys.first(end));
  Run best;
  for (std::size_t period = 1; 2 * period <= end; ++period) {
    const std::size_t reach = period + matches[period];
    if (reach > best.length() && reach >= 2 * period) best = {end - reach, end, period};
  }
  if (best.length() == 0) return best;
  while (best.end < keys.size() && keys[best.end] == keys[best.end - best.period]) ++best.end;
  return best;
}

/// Whether a run is long enough for steps, and what follows it is short enough.
bool are_steps(const Run& run, std::size_t size) {
  return run.length() >= least_times * run.period && 2 * run.length() >= size &&
         size - run.end <= most_periods_behind * run.period;
}

}  // namespace

std::optional<Repetition> repetition_at_end(std::span<const std::uint32_t> keys) {
  Run best;
  for (std::size_t behind = 0; behind < keys.size(); behind = 2 * behind + 1) {
    const Run run = longest_run(keys, keys.size() - behind);
    if (are_steps(run, keys.size()) && run.length() > best.length()) best = run;
  }
  if (best.length() == 0) return {};
  return Repetition{best.end, best.period, best.length() / best.period};
}

}  // namespace stashscope
