#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>

#include "core/base/progress.h"

namespace stashscope {

/// Limits of a search. With a limit of moves and no limit of time, the same seed gives the same
/// result on every machine.
struct SearchLimit {
  double seconds = 10;     ///< 0: no limit of time
  std::int64_t moves = 0;  ///< 0: no limit of moves
  std::uint64_t seed = 1;
  /// Once this flag is set, the search ends soon, as if its limit were reached. Not owned; null: no
  /// such flag.
  const std::atomic<bool>* is_ended = nullptr;

  friend bool operator==(const SearchLimit&, const SearchLimit&) = default;
};

/// The limit with `share` of its time and of its moves.
SearchLimit share_of(const SearchLimit& limit, double share);

/// Measures how much of its limit a search has used.
class SearchClock {
 public:
  SearchClock(const SearchLimit& limit, const Progress& progress)
      : limit_(limit), progress_(progress), start_(std::chrono::steady_clock::now()) {}

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  /// The used share of the time or of the moves, whichever is larger; 1 when one of them is used
  /// up, or when the search is cancelled or `is_ended` is set.
  double used(std::int64_t moves) const;

 private:
  SearchLimit limit_;
  Progress progress_;
  std::chrono::steady_clock::time_point start_;
};

/// A limit for a later stage of a search: the number of moves of `moves`, and the time that is left
/// of `whole`. If `whole` does not limit the time, the time of `moves`.
/// @param clock started together with the search that `whole` limits
SearchLimit rest_of(const SearchLimit& whole, const SearchLimit& moves, const SearchClock& clock);

/// The limit with `share` of the time and of the moves that are left; at least one move.
/// @param moves those that were made since the clock began
SearchLimit share_of_rest(const SearchLimit& limit, std::int64_t moves, const SearchClock& clock,
                          double share);

/// Random numbers for searches. One seed gives the same numbers on every machine.
class SearchRandom {
 public:
  explicit SearchRandom(std::uint64_t seed) : engine_(seed) {}

  /// A random number below `count`. @pre count > 0
  std::uint32_t below(std::uint32_t count) {
    return static_cast<std::uint32_t>(((engine_() >> 32) * count) >> 32);
  }
  /// A random number in [0, 1).
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 engine_;
};

/// A temperature that falls exponentially, for simulated annealing (Kirkpatrick, Gelatt, Vecchi:
/// Optimization by simulated annealing, Science 1983).
struct Cooling {
  double first = 0;
  double last = 0;

  double at(double used) const;
};

/// The largest increase in energy that the next move may make, drawn at random for this
/// temperature.
double accepted_rise(double temperature, SearchRandom& random);

}  // namespace stashscope
