#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/study/facts/pass_savings.h"

namespace stashscope {

/// One line for each pass with its changes and savings. Empty without passes.
std::string pass_lines(const std::vector<PassSaving>& savings);

/// The pass report as a list of JSON objects.
nlohmann::json passes_json(const std::vector<PassSaving>& savings);

}  // namespace stashscope
