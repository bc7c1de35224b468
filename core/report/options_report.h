#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/study/step/study.h"

namespace stashscope {

/// What strategies beyond the reference's would save, as rows of text; empty when there are none.
std::string extensions_text(const Study& study);

/// Why stashed tensors have no plan, the largest first; empty when all have one.
std::string why_not_text(const Study& study);

nlohmann::json extensions_json(const Study& study);
nlohmann::json why_not_json(const Study& study);

}  // namespace stashscope
