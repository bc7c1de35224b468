#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "core/base/progress.h"

namespace stashscope {

/// Limits of a search for a placement; a move places one buffer. With a limit of moves and none of
/// time, the same seed gives the same placement on every machine.
struct ArenaLimit {
  double seconds = 10;     ///< 0: no limit of time
  std::int64_t moves = 0;  ///< 0: no limit of moves
  std::uint64_t seed = 1;
};

/// What a search has used of its limit.
class ArenaClock {
 public:
  ArenaClock(const ArenaLimit& limit, const Progress& progress)
      : limit_(limit), progress_(progress), start_(std::chrono::steady_clock::now()) {}

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  void count(std::int64_t moves) { moves_ += moves; }
  std::int64_t moves() const { return moves_; }
  /// Whether a limit is reached or the search is cancelled.
  bool is_over() const { return used() >= 1 || progress_.cancelled(); }
  /// The used share of the limit.
  double used() const {
    const double time = limit_.seconds > 0 ? seconds() / limit_.seconds : 0;
    const double moved =
        limit_.moves > 0 ? static_cast<double>(moves_) / static_cast<double>(limit_.moves) : 0;
    return std::max(time, moved);
  }
  /// A clock that starts now with this share of what is left.
  ArenaClock share_of_rest(double share) const {
    ArenaLimit rest = limit_;
    if (limit_.seconds > 0) rest.seconds = std::max(1e-9, share * (limit_.seconds - seconds()));
    const auto left = static_cast<double>(limit_.moves - moves_);
    if (limit_.moves > 0)
      rest.moves = std::max<std::int64_t>(1, static_cast<std::int64_t>(share * left));
    return {rest, progress_};
  }
  const ArenaLimit& limit() const { return limit_; }
  bool has_limit() const { return limit_.seconds > 0 || limit_.moves > 0; }

 private:
  ArenaLimit limit_;
  Progress progress_;
  std::chrono::steady_clock::time_point start_;
  std::int64_t moves_ = 0;
};

}  // namespace stashscope
