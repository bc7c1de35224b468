#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// The plans of a captured step that are applied, as the JSON text that `stashscope.apply` of the
/// Python package reads. docs/captured_step.md describes the text. Throws a usage Error if the
/// model is no captured step.
std::string pytorch_plan(const Study& study);

/// A named dimension of a captured step.
struct CapturedSize {
  std::string name;
  std::int64_t captured = 0;  ///< the size of the capture
  std::int64_t chosen = 0;    ///< the size of the study
};

/// The named dimensions of a captured step, in the order of its file. Empty for other models.
std::vector<CapturedSize> captured_sizes(const Study& study);

/// The options of the capture as arguments of Python, such as `, kernels="cuda", warm_up=1`. Empty
/// if the capture had the usual options. Nothing if the file does not record the options, or if it
/// records options that `stashscope.capture` does not write. Where the study has other sizes than
/// the capture, the argument `dims` has the sizes of the study. A capture with these options then
/// has the sizes of the study.
std::optional<std::string> capture_options(const Study& study);

}  // namespace stashscope
