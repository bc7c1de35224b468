#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace stashscope {

enum class Verdict : std::uint8_t {
  fits,
  too_large,
  refused  ///< no value that can be had at all, as a size that must be even
};

/// What trying a value showed.
struct Trial {
  Verdict verdict = Verdict::refused;
  /// Of a value that is not refused: what the largest that fits probably is.
  std::optional<std::int64_t> guess;
};

/// Values above are not tried.
constexpr std::int64_t most_value = std::int64_t{1} << 40;

struct LargestValue {
  std::optional<std::int64_t> fits;     ///< most_value: there is no limit; nothing: none fits
  std::optional<std::int64_t> fails;    ///< the next above it that is too large, not refused
  std::optional<std::int64_t> refused;  ///< the next above it where that one is refused
};

/// The largest value of at least 1 that fits. Follows the guesses (the root of a lower bound: a
/// Newton iteration that comes from above), else bisects. What fits is taken to shrink with the
/// value, but the four values behind the one that fails are tried too. After 256 refused values in
/// a row all up to the next known one are taken to be refused.
/// @param accepted a value that is not refused, where one is known; for when 1 to 256 are
LargestValue largest_value(const std::function<Trial(std::int64_t)>& attempt,
                           std::optional<std::int64_t> accepted = {});

}  // namespace stashscope
