#include "core/snapshot/repetition.h"

#include <algorithm>
#include <vector>

namespace stashscope {

namespace {

constexpr std::size_t least_times = 3;

/// For each place of a sequence that is read from back to front, how many keys from there on equal
/// those at its start.
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

/// The repetition that ends with the sequence and reaches back furthest.
Repetition last_repetition(std::span<const std::uint32_t> keys) {
  const std::vector<std::size_t> matches = matches_from_end(keys);
  Repetition best;
  std::size_t furthest = 0;
  for (std::size_t period = 1; period * least_times <= keys.size(); ++period) {
    const std::size_t reach = period + matches[period];
    if (reach <= furthest || reach < period * least_times) continue;
    furthest = reach;
    best = {keys.size(), period, reach / period};
  }
  return best;
}

}  // namespace

std::optional<Repetition> repetition_at_end(std::span<const std::uint32_t> keys) {
  Repetition best;
  for (std::size_t left_out = 0; left_out <= keys.size() / 2; left_out = 2 * left_out + 1) {
    const Repetition found = last_repetition(keys.first(keys.size() - left_out));
    if (found.length() > best.length()) best = found;
  }
  if (best.times == 0 || best.length() * 2 < keys.size()) return {};
  return best;
}

}  // namespace stashscope
