#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/study/facts/tensor_homes.h"

namespace stashscope {

/// The modules that hold most at the peak of the current step, as a table; empty without modules.
std::string module_memory_text(const Study& study);

/// One entry per module with its bytes at the peak, stashed bytes and time.
nlohmann::json module_memory_json(const Study& study);

/// The memory at the peak of the current step by module, use and tensor, as an SVG icicle.
/// @param homes of the current variant
std::string memory_icicle_svg(const Study& study, const TensorHomes& homes);

}  // namespace stashscope
