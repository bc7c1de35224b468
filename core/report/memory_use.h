#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/memory/bands.h"
#include "core/memory/phases.h"

namespace stashscope {

/// One line for each band that is not empty: its bytes and its share of the total.
std::string bands_text(const BandBytes& bands);

/// Bytes by band name, including empty bands.
nlohmann::json bands_json(const BandBytes& bands);

/// One line per phase under a title, as in a training log; empty without phases.
std::string phases_text(const std::string& title, const std::vector<MemoryPhase>& phases);

/// `[{"phase": "pre_forward", "current_bytes": 1, "maximum_bytes": 1}, ...]`
nlohmann::json phases_json(const std::vector<MemoryPhase>& phases);

}  // namespace stashscope
