#pragma once

#include <string>
#include <vector>

#include "core/report/check/memory_record.h"

namespace stashscope {

/// The figure that a limit is for.
enum class CheckedFigure : std::uint8_t { peak, reserved, stashed };

/// The name in files, such as `peak_bytes`.
std::string_view name_of(CheckedFigure figure);

/// One limit: a number of bytes, or a growth over the baseline.
struct MemoryLimit {
  CheckedFigure figure = CheckedFigure::peak;
  std::string module;  ///< pattern of modules whose sum is limited; empty: the whole step
  std::optional<std::int64_t> most_bytes;
  /// Growth over the baseline in bytes, or as a share of the baseline. At most one of the two is
  /// set.
  std::optional<std::int64_t> most_growth_bytes = {};
  std::optional<double> most_growth_share = {};
};

struct MemoryLimits {
  std::vector<MemoryLimit> limits;
  std::string baseline;  ///< path of a record, relative to the file of the limits; empty: none
};

/// Reads limits such as
/// `{"peak_bytes": "14GiB", "modules": {"h.*.attn": {"peak_bytes": "3GiB"}},
///   "baseline": "memory.json", "growth": {"peak_bytes": "1%"}}`.
/// Throws an input Error, which names the key at fault if there is one.
MemoryLimits parse_limits(const std::string& text);

/// A limit, the bytes that it allows, and the bytes of the step or of the limited modules.
struct LimitResult {
  MemoryLimit limit;
  std::int64_t bytes = 0;
  std::int64_t most_bytes = 0;
  std::optional<std::int64_t> baseline_bytes;
  bool is_broken = false;
};

/// A tensor whose bytes at the peak differ from those in the baseline.
struct TensorChange {
  std::string name;
  std::int64_t before_bytes = 0;  ///< in the baseline; 0: not alive at its peak
  std::int64_t after_bytes = 0;   ///< in the checked step; 0: not alive at its peak
};

struct CheckResult {
  std::vector<LimitResult> limits;
  std::vector<TensorChange> changes;  ///< the largest change first; empty without a baseline

  bool is_broken() const;
};

/// Throws an input Error if a limit needs a figure of the baseline that is missing, if the baseline
/// has other allocator settings than the step (for a growth of reserved memory), or if no module
/// matches a pattern.
/// @param baseline null: none
CheckResult check_limits(const MemoryRecord& record, const MemoryLimits& limits,
                         const MemoryRecord* baseline);

}  // namespace stashscope
