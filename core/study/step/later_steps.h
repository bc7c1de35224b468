#pragma once

#include <cstdint>

#include "core/study/step/study.h"

namespace stashscope {

/// Memory of the steps after a captured step in which the optimizer made its states. Each later
/// step holds these states from its first slot on.
struct LaterSteps {
  std::int64_t state_bytes = 0;  ///< states that the captured step makes; 0 in other steps
  std::int64_t peak_bytes = 0;   ///< at least the peak of the captured step

  friend bool operator==(const LaterSteps&, const LaterSteps&) = default;
};

/// Whether the buffer holds an optimizer state that the captured step makes anew. Such a state
/// outlives the step and replaces no older state.
bool is_made_state(const BufferRules& rules, const Buffer& buffer);

/// @param timeline of a variant of the step with these rules
LaterSteps later_steps(const BufferRules& rules, const Timeline& timeline);
LaterSteps later_steps(const Study& study, const Variant& variant);

}  // namespace stashscope
