#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// The orders with their peaks.
std::string orders_text(const Study& study);
nlohmann::json orders_json(const Study& study);

/// The fusion strategies with their peaks, and the groups of the chosen strategy.
/// @param rows if empty, only the groups are listed
std::string fusions_text(const Study& study, const std::vector<FusionRow>& rows);
nlohmann::json fusion_json(const Study& study, const std::vector<FusionRow>& rows);

}  // namespace stashscope
