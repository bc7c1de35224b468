#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace stashscope {

enum class Verdict : std::uint8_t {
  fits,
  too_large,
  refused  ///< the value is impossible, such as an odd value for a size that must be even
};

/// The result of trying a value.
struct Trial {
  Verdict verdict = Verdict::refused;
  /// Estimate of the largest value that fits; never set for a refused value.
  std::optional<std::int64_t> guess;
};

/// The largest value that is tried.
constexpr std::int64_t most_value = std::int64_t{1} << 40;

struct LargestValue {
  std::optional<std::int64_t> fits;  ///< `most_value`: no limit was found; not set: no value fits
  /// The next larger value that is not refused; it does not fit.
  std::optional<std::int64_t> fails;
  /// The value directly above `fits`, if that value is refused; 1 if no value was accepted.
  std::optional<std::int64_t> refused;
};

/// The largest value of at least 1 that fits. Tries the guesses of earlier trials. If each guess is
/// the value at which a lower bound of the needed memory reaches the limit, the guesses converge
/// like a Newton iteration from above. Without a guess, tries `most_value`, then bisects. Assumes
/// that all values above a failing value fail too, but tries the next four values to be sure. After
/// 256 refused values in a row, assumes that all values up to the next known value are refused.
/// @param accepted a value that is known not to be refused; used if 1 to 256 are all refused
LargestValue largest_value(const std::function<Trial(std::int64_t)>& attempt,
                           std::optional<std::int64_t> accepted = {});

}  // namespace stashscope
