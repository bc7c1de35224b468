#pragma once

#include <optional>
#include <string>

#include "core/study/step/study.h"

namespace stashscope {

/// The plans of a captured step that are applied, as the JSON text that `stashscope.apply` of the
/// Python package reads. Throws a usage Error if the model is no captured step.
/// (docs/captured_step.md)
std::string pytorch_plan(const Study& study);

/// The options of the capture as arguments of Python, such as `, kernels="cuda", warm_up=1`. Empty
/// if the capture had the usual options. Nothing if the file does not record them, or records
/// others than `stashscope.capture` writes.
std::optional<std::string> capture_options(const Graph& graph);

}  // namespace stashscope
