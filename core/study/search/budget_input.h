#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stashscope {

/// A budget as the user states it: in bytes, as a share of the peak without plans, or as the bytes
/// to save from this peak.
struct BudgetInput {
  std::int64_t bytes = 0;
  std::optional<double> percent;      ///< used instead of `bytes` if set
  std::optional<std::int64_t> saved;  ///< bytes to save; used instead of `bytes` if set

  friend bool operator==(const BudgetInput&, const BudgetInput&) = default;
};

/// Parses `12GiB`, `900 MB`, `60%` or `-4GiB`. For any other text, throws a usage Error with
/// examples.
BudgetInput parse_budget(const std::string& text);

/// A size that `parse_budget` reads as at most `bytes`, such as `14.7 GiB`. It has the fewest
/// decimals that mean `bytes` exactly, or else three decimals, rounded down.
std::string format_budget(std::int64_t bytes);

/// The budget in bytes. A budget that saves the whole peak or more becomes 1 byte.
/// @param peak_bytes the peak without plans
std::int64_t budget_bytes(const BudgetInput& budget, std::int64_t peak_bytes);

}  // namespace stashscope
