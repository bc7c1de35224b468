#pragma once

#include <string>

namespace stashscope {

/// A place that a what-if found but could not change.
struct WhatIfStop {
  std::string node;    ///< name of the node; of its first output if it has none
  std::string reason;  ///< in words, to be read after the node's name: "has only 8 rows"
};

}  // namespace stashscope
