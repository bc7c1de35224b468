#pragma once

#include "ui/memory/memory_curves.h"

namespace stashscope::ui::test {

/// A curve whose slots take a microsecond each.
SharedCurve curve_through(std::vector<std::int64_t> bytes);

/// A step of any length without a model: every slot makes a tensor that lives for up to
/// `longest_life` slots. Has every curve and band that the memory view can show.
MemoryCurves long_step(std::uint32_t steps, std::uint32_t longest_life);

}  // namespace stashscope::ui::test
