#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/snapshot/memory_snapshot.h"

namespace stashscope {

/// The tensors that are alive at one moment.
struct LiveLevel {
  std::int64_t bytes = 0;  ///< as asked for
  std::int64_t tensors = 0;

  friend bool operator==(const LiveLevel&, const LiveLevel&) = default;
};

/// The tensors that a line of the program made and that are alive.
struct PlaceTensors {
  LiveLevel level;
  std::string function;              ///< that has the line; empty: unknown
  std::vector<std::string> callers;  ///< the lines that call it, from the inside out, at most four
};
/// By place, such as `train.py:12`; see `place_of`.
using LivePlaces = std::map<std::string, PlaceTensors>;

/// The tensors at the end of a snapshot, of the device that reserves the most.
LivePlaces live_at_end(const MemorySnapshot& snapshot);

/// A line of the program whose tensors become more from step to step.
struct Leak {
  std::string place;
  std::string function;
  std::vector<std::string> callers;
  std::vector<LiveLevel> levels;  ///< at each of the moments that were compared

  std::int64_t growth_bytes() const { return levels.back().bytes - levels.front().bytes; }
};

/// What stays alive when steps are repeated.
struct LeakSearch {
  /// The moments that were compared, by the number of steps until then. Of a long trace, at most
  /// `most_compared`.
  std::vector<std::size_t> steps;
  std::size_t allocations_per_step = 0;  ///< 0: unknown
  std::vector<LiveLevel> levels;         ///< of all tensors at these moments
  std::vector<Leak> leaks;               ///< largest growth first
};

constexpr std::size_t most_compared = 64;
constexpr std::size_t least_compared = 3;

/// Compares the ends of snapshots that were taken after one step each.
///
/// A line leaks if its live bytes never fall from one step to a later one, grow at least twice, and
/// grow in the second half of the steps. What is filled once, such as the states of an optimizer,
/// is no leak. Throws a usage Error for fewer than three snapshots.
LeakSearch leaks_between(const std::vector<LivePlaces>& ends);

/// Finds leaks in a trace of at least three steps. A step is what repeats itself: the lines that
/// allocate, with sizes if these repeat as well. Throws an input Error if nothing repeats itself.
LeakSearch leaks_in(const MemorySnapshot& snapshot);

}  // namespace stashscope
