#pragma once

#include <string>
#include <vector>

#include "core/memory/bands.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The tensors that are live together at the end of a step: those that exist before the step, and
/// those that the step returns. No plan frees these tensors, so no plan has a lower peak.
struct PeakFloor {
  std::int64_t bytes = 0;
  BandBytes parts{};  ///< add up to `bytes`
};
PeakFloor peak_floor(const Study& study);

/// The parts of a floor that are not empty, largest first: `parameters 4.1 GiB and gradients
/// 4.1 GiB`.
std::string words_of(const PeakFloor& floor);

/// The kinds of persistent tensors that the step has, such as `parameters, inputs, constants`.
std::string persistent_words(const Study& study);

}  // namespace stashscope
