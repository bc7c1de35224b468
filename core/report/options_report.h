#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/study/step/study.h"

namespace stashscope {

/// The plans of strategies that ONNX Runtime does not have, with their savings; empty if there are
/// no such plans.
std::string extensions_text(const Study& study);

/// The reasons why stashed tensors have no recompute plan, largest tensors first; empty if every
/// stashed tensor has a recompute plan.
std::string why_not_text(const Study& study);

/// The modules whose plans save the most memory; empty if no module has plans.
std::string modules_text(const Study& study);

nlohmann::json extensions_json(const Study& study);
nlohmann::json why_not_json(const Study& study);
/// `{"module", "plans", "on", "saving_bytes"}` for every module.
nlohmann::json modules_json(const Study& study);

}  // namespace stashscope
