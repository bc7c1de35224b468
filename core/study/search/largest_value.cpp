#include "core/study/search/largest_value.h"

#include <algorithm>
#include <cmath>

namespace stashscope {

namespace {

constexpr std::int64_t refused_in_a_row = 256;
constexpr int values_beyond = 4;
constexpr int most_guesses = 16;  // bisection is faster than guesses that converge slowly

struct Tried {
  std::int64_t value = 0;
  Trial trial;
};

class Search {
 public:
  explicit Search(const std::function<Trial(std::int64_t)>& attempt) : attempt_(attempt) {}

  LargestValue run(std::optional<std::int64_t> accepted) {
    auto first = accepted_from(1, most_value + 1);
    if (!first && accepted) first = accepted_from(*accepted, *accepted + 1);
    if (!first) return {{}, {}, 1};
    if (first->trial.verdict == Verdict::too_large) return {{}, first->value, {}};
    take_low(*first);
    do {
      narrow();
    } while (fits_beyond());
    const bool is_refused = low_ < most_value && fails_ != low_ + 1;
    return {low_, fails_, is_refused ? std::optional(low_ + 1) : std::nullopt};
  }

 private:
  /// The first value in [value, end) that is not refused. Tries at most `refused_in_a_row` values.
  std::optional<Tried> accepted_from(std::int64_t value, std::int64_t end) const {
    end = std::min(end, value + refused_in_a_row);
    for (; value < end; ++value) {
      const Trial trial = attempt_(value);
      if (trial.verdict != Verdict::refused) return Tried{value, trial};
    }
    return std::nullopt;
  }

  void take_low(const Tried& tried) {
    low_ = tried.value;
    guess_ = tried.trial.guess;
  }

  void narrow() {
    while (low_ + 1 < end_) {
      const std::int64_t value = next_value();
      const auto tried = accepted_from(value, end_);
      if (tried && tried->trial.verdict == Verdict::fits) {
        take_low(*tried);
        continue;
      }
      end_ = value;
      if (tried) fails_ = tried->value;
      guess_ = tried ? tried->trial.guess : std::nullopt;
    }
  }

  /// The next value to try, in (low_, end_).
  std::int64_t next_value() {
    const bool is_open = end_ > most_value;
    if (is_open && !guess_) return most_value;
    if (guess_ && ++guesses_ <= most_guesses) {
      const std::int64_t guess = std::min(*guess_, most_value);
      if (guess == low_) return low_ + 1;
      if (guess > low_ && guess < end_) return guess;
    }
    return middle();
  }

  /// Geometric mean while the ratio of the ends is large, else the arithmetic mean.
  std::int64_t middle() const {
    if (end_ / 4 < low_) return low_ + (end_ - low_) / 2;
    const double ratio = static_cast<double>(end_) / static_cast<double>(low_);
    const auto value = std::llround(static_cast<double>(low_) * std::sqrt(ratio));
    return std::clamp<std::int64_t>(value, low_ + 1, end_ - 1);
  }

  /// Whether one of the next values above the failing value fits. If so, the search starts again
  /// from the value that fits.
  bool fits_beyond() {
    if (!fails_) return false;
    std::int64_t value = *fails_ + 1;
    for (int i = 0; i < values_beyond && value <= most_value; ++i) {
      const auto tried = accepted_from(value, most_value + 1);
      if (!tried) return false;
      value = tried->value + 1;
      if (tried->trial.verdict != Verdict::fits) continue;
      take_low(*tried);
      end_ = most_value + 1;
      fails_.reset();
      return true;
    }
    return false;
  }

  const std::function<Trial(std::int64_t)>& attempt_;
  std::int64_t low_ = 0;               ///< the largest value known to fit
  std::int64_t end_ = most_value + 1;  ///< no value from end_ to fails_ fits
  std::optional<std::int64_t> fails_;
  std::optional<std::int64_t> guess_;
  int guesses_ = 0;
};

}  // namespace

LargestValue largest_value(const std::function<Trial(std::int64_t)>& attempt,
                           std::optional<std::int64_t> accepted) {
  return Search(attempt).run(accepted);
}

}  // namespace stashscope
