#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/snapshot/memory_snapshot.h"

namespace stashscope {

/// The number and the bytes of the tensors that are alive at one moment.
struct LiveLevel {
  std::int64_t bytes = 0;  ///< as the program asked for them, without rounding
  std::int64_t tensors = 0;

  friend bool operator==(const LiveLevel&, const LiveLevel&) = default;
};

/// A line of the program whose tensors accumulate from step to step.
struct Leak {
  std::string place;     ///< such as `train.py:12`; with folders if two lines have the same name
  std::string function;  ///< function that contains the line; empty: unknown
  std::vector<std::string> callers;  ///< the lines that call it, from the inside out, at most four
  std::vector<LiveLevel> levels;     ///< at each of the moments that were compared

  std::int64_t growth_bytes() const { return levels.back().bytes - levels.front().bytes; }
};

/// What stays alive when steps are repeated.
struct LeakSearch {
  std::int64_t device = 0;
  /// The moments that were compared. For a trace, at most `most_compared` moments, each given by
  /// the number of steps that have ended by then. For snapshots, their numbers from 1.
  std::vector<std::size_t> steps;
  std::size_t allocations_per_step = 0;  ///< 0: the moments are the ends of snapshots
  std::vector<LiveLevel> levels;         ///< of all tensors at these moments
  std::vector<Leak> leaks;               ///< largest growth first
};

constexpr std::size_t most_compared = 64;
constexpr std::size_t least_compared = 3;

/// Finds leaks in the trace of one device: of the devices with a trace, the one that reserves the
/// most memory. The trace must have at least three steps. A step is the part of the trace that
/// repeats itself: allocations with the same call stacks, of the same sizes if the sizes repeat as
/// well. Compares the tensors that are alive after the last allocation of each step, or of
/// `most_compared` of the steps if there are more. Throws an input Error if nothing repeats itself.
///
/// A line leaks if its live bytes never fall from one step to a later one, grow at least twice, and
/// grow in the second half of the steps. What is filled once, such as the states of an optimizer,
/// is no leak.
LeakSearch leaks_in(const MemorySnapshot& snapshot);

/// Compares the ends of snapshots in the same way, on the device that reserves the most in the last
/// of them. Throws a usage Error for fewer than three snapshots.
/// @param snapshot loads the snapshot of an index; only one is kept in memory at a time
LeakSearch leaks_between(std::size_t count,
                         const std::function<MemorySnapshot(std::size_t)>& snapshot);

}  // namespace stashscope
