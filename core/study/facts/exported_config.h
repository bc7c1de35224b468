#pragma once

#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// The plans in force as a config for ONNX Runtime.
struct ExportedConfig {
  RecomputeConfig config;
  std::vector<std::string> left_out;  ///< one clause per reason, with the entries it concerns
};

/// Leaves out plan types that ONNX Runtime does not know, and clusters that only a widened table of
/// recomputable operators finds. A smaller count leaves out pinned nodes at the end of a cluster;
/// ONNX Runtime recomputes all other pinned nodes, and `left_out` names them.
ExportedConfig exported_config(const Study& study);

/// The shell block that switches the exported plans on; its comments list what is left out.
std::string environment_block(const Study& study);

}  // namespace stashscope
