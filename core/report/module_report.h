#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/study/facts/tensor_homes.h"

namespace stashscope {

/// The modules that hold the most memory at the peak of the current step, one line each; empty
/// without modules.
std::string module_memory_text(const Study& study);

/// One entry per module with its bytes at the peak, stashed bytes and time.
nlohmann::json module_memory_json(const Study& study);

/// The memory at the peak of the current step by module, use and tensor, as an SVG icicle.
/// @param homes the result of `tensor_homes` for the current variant
std::string memory_icicle_svg(const Study& study, const TensorHomes& homes);

}  // namespace stashscope
