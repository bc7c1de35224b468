#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// A weight and the graph output that holds its gradient (invalid when the weight has none).
struct Parameter {
  ValueId value;
  ValueId gradient;
};

}  // namespace stashscope
