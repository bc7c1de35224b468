#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "core/arena/arena.h"

namespace stashscope::test {

/// A full rectangle of time and bytes, cut into `pieces` buffers: they fit into `bytes` with no
/// byte to spare at any time.
inline std::vector<ArenaBuffer> cut_rectangle(std::int64_t time, std::int64_t bytes,
                                              std::size_t pieces, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<ArenaBuffer> cut = {{0, time, bytes}};
  const auto inside = [&](std::int64_t length) {
    return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(length - 1));
  };
  while (cut.size() < pieces) {
    ArenaBuffer& whole = cut[random() % cut.size()];
    ArenaBuffer part = whole;
    if (random() % 2 == 0 && whole.bytes > 1) {
      part.bytes = inside(whole.bytes);
      whole.bytes -= part.bytes;
    } else if (whole.upper - whole.lower > 1) {
      part.lower = whole.lower + inside(whole.upper - whole.lower);
      whole.upper = part.lower;
    } else {
      continue;
    }
    cut.push_back(part);
  }
  return cut;
}

/// Buffers that fill `bytes` at every time: at each step, two of them end and others take their
/// bytes. Some of these arenas need more than their load.
inline std::vector<ArenaBuffer> full_arena(std::int64_t bytes, std::int64_t steps,
                                           std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<ArenaBuffer> buffers;
  std::vector<std::size_t> live;
  const auto start = [&](std::int64_t time, std::int64_t together, std::int64_t most) {
    while (together > 0) {
      const auto limit = static_cast<std::uint64_t>(std::min(together, most));
      const auto size = 1 + static_cast<std::int64_t>(random() % limit);
      live.push_back(buffers.size());
      buffers.push_back({time, steps + 1, size});
      together -= size;
    }
  };
  start(0, bytes, 3);
  for (std::int64_t time = 1; time <= steps; ++time) {
    std::int64_t ended = 0;
    for (int i = 0; i < 2 && !live.empty(); ++i) {
      const auto each = live.begin() + static_cast<std::ptrdiff_t>(random() % live.size());
      buffers[*each].upper = time;
      ended += buffers[*each].bytes;
      live.erase(each);
    }
    start(time, ended, ended);
  }
  return buffers;
}

/// Buffers with random lives and sizes.
inline std::vector<ArenaBuffer> random_buffers(std::size_t count, std::int64_t time,
                                               std::int64_t most_bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  };
  std::vector<ArenaBuffer> buffers;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t lower = below(time);
    buffers.push_back({lower, lower + 1 + below(time - lower), below(most_bytes + 1)});
  }
  return buffers;
}

}  // namespace stashscope::test
