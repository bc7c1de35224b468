#pragma once

#include "ui/memory/memory_curves.h"

namespace stashscope::ui::test {

/// A curve whose steps take a microsecond each.
SharedCurve curve_through(std::vector<std::int64_t> bytes);

/// A step of any length that no model stands behind: every step makes a tensor that lives for up to
/// `longest_life` steps, and every curve and band that the memory view can show is there.
MemoryCurves long_step(std::uint32_t steps, std::uint32_t longest_life);

}  // namespace stashscope::ui::test
