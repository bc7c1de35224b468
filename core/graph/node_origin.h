#pragma once

#include <string>
#include <vector>

namespace stashscope {

/// Where a node comes from in the program from which the model was exported.
struct NodeOrigin {
  /// Modules from the outside in: `model`, `layers.0`, `self_attn`. Empty: outside of all modules.
  std::vector<std::string> modules;
  std::string file;  ///< file of the source line that made the node; empty: unknown
  int line = 0;      ///< in `file`, from 1
};

}  // namespace stashscope
