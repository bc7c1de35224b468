#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/report/page/page_tensors.h"

namespace stashscope {

/// The rows of ONNX Runtime's plans, then of the extensions, at most `limits.rows`: `name` in
/// words, `config`, `strategy`, `frequency`, `saving_bytes`, `bytes_at_peak`, `saving_symbolic`,
/// `extra_seconds`, `extra_percent`, `on`, `applied`.
nlohmann::json page_plans(const Study& study, const PageLimits& limits);

/// Adds the key `tensors` to each row of `plans`: the indices of the tensors that the row frees, in
/// `PageTensors::columns`.
void add_freed_tensors(const Study& study, const PageTensors& tensors, nlohmann::json& plans);

/// The rows of the table of modules, at most `limits.rows`: `module`, `is_rest`, `peak_bytes`,
/// `peak_share` in per cent, `peak_symbolic`, `stashed_at_peak_bytes`, `seconds`.
nlohmann::json page_modules(const Study& study, const std::vector<ModuleMemory>& modules,
                            const PageLimits& limits);

/// The tables as HTML, made from the rows that `page_plans` and `page_modules` return. Cells of
/// numbers have `data-value`.
std::string plans_table(const nlohmann::json& plans);
std::string modules_table(const nlohmann::json& modules);

}  // namespace stashscope
