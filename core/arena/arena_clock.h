#pragma once

#include <cstdint>

#include "core/base/progress.h"
#include "core/base/search_limit.h"

namespace stashscope {

/// Counts how much of its limit a search for a placement has used. A move places one buffer.
class ArenaClock {
 public:
  ArenaClock(const SearchLimit& limit, const Progress& progress)
      : limit_(limit), progress_(progress), clock_(limit, progress) {}

  void count(std::int64_t moves) { moves_ += moves; }
  std::int64_t moves() const { return moves_; }
  /// The used share of the limit; 1 when it is reached or the search is cancelled.
  double used() const { return clock_.used(moves_); }
  bool is_over() const { return used() >= 1; }
  /// A clock that starts now with this share of what is left.
  ArenaClock share_of_rest(double share) const {
    return {stashscope::share_of_rest(limit_, moves_, clock_, share), progress_};
  }
  const SearchLimit& limit() const { return limit_; }
  bool has_limit() const { return limit_.seconds > 0 || limit_.moves > 0; }

 private:
  SearchLimit limit_;
  Progress progress_;
  SearchClock clock_;
  std::int64_t moves_ = 0;
};

}  // namespace stashscope
