#pragma once

#include <string>

#include "core/study/step/study.h"

namespace stashscope {

/// A study as a piece of HTML for another page, such as a notebook: the peak in a line, the memory
/// curve as SVG, and the first rows of the plan tables.
/// @param model_path the model or session, which is named without its folder and suffix
std::string study_card(const Study& study, const std::string& model_path);

}  // namespace stashscope
