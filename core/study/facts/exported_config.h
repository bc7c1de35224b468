#pragma once

#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// The plans in force as ONNX Runtime takes them.
struct ExportedConfig {
  RecomputeConfig config;
  std::vector<std::string> left_out;  ///< one clause for each reason, with the entries
};

/// Types that ONNX Runtime does not know are left out, and clusters that only a widened table of
/// recomputable operators finds. Kept nodes are left out by a count where they are the last of
/// their cluster; others run again, and that is told.
ExportedConfig exported_config(const Study& study);

/// The shell block that switches the exported plans on; what is left out is said in comments.
std::string environment_block(const Study& study);

}  // namespace stashscope
