#pragma once

#include <string>

namespace stashscope {

/// A place of the model that a what-if would change, and why it does not.
struct WhatIfStop {
  std::string node;    ///< the node that stands in the way, as errors name it
  std::string reason;  ///< a clause whose subject is the node

  friend bool operator==(const WhatIfStop&, const WhatIfStop&) = default;
};

}  // namespace stashscope
