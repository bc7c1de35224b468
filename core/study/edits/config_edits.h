#pragma once

#include <string>

#include "core/study/step/study.h"

namespace stashscope {

/// The choices with the plans of a config string switched on or off. The string is the config of a
/// plan row, or a list of entries `cluster:type:count`, in which a count limits the plans of its
/// entry. Other plans stay as they are, but plans that exclude a plan that is switched on are
/// switched off. Throws a usage Error for text that is not a config, and for entries that are not
/// plans of the study's step.
Choices with_config(const Study& study, Choices choices, const std::string& config, bool on);

}  // namespace stashscope
