#pragma once

#include <string>

#include "core/study/step/study.h"

namespace stashscope {

/// The choices with the plans of a config string switched on or off: those of a plan row, or single
/// entries `cluster:type:count`. Other plans stay, except plans that exclude those switched on. A
/// count limits the plans of its entry. Throws a usage Error for text that is no config, and for
/// entries that are no plans of the study's step.
Choices with_config(const Study& study, Choices choices, const std::string& config, bool on);

}  // namespace stashscope
