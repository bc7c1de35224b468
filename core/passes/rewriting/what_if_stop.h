#pragma once

#include <string>

namespace stashscope {

/// A place of the model that a what-if would change, and why it does not.
struct WhatIfStop {
  std::string node;    ///< the node or value that stands in the way, as errors name it
  std::string reason;  ///< the rest of a sentence that begins with the node

  friend bool operator==(const WhatIfStop&, const WhatIfStop&) = default;
};

}  // namespace stashscope
