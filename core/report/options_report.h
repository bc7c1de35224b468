#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/study/step/study.h"

namespace stashscope {

/// Savings of the strategies that ONNX Runtime does not have, as text; empty if there are none.
std::string extensions_text(const Study& study);

/// The reasons why stashed tensors have no plan, largest tensors first; empty if every stashed
/// tensor has a plan.
std::string why_not_text(const Study& study);

/// The modules with most to save by recomputing; empty if the model names no modules with plans.
std::string modules_text(const Study& study);

nlohmann::json extensions_json(const Study& study);
nlohmann::json why_not_json(const Study& study);
/// `{"module", "plans", "on", "saving_bytes"}` for every module.
nlohmann::json modules_json(const Study& study);

}  // namespace stashscope
