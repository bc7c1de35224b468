#pragma once

#include <limits>
#include <map>

#include "core/passes/rewriting/rewriter.h"

namespace stashscope {

/// The range in which all elements of a value lie.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  /// Whether all elements are one number.
  bool is(double number) const { return low == number && high == number; }
};

/// Computes in which range values lie where a mask is 0. Values that depend on other data may have
/// any number.
class MaskBounds {
 public:
  /// Keeps a reference to the graph. @param mask a graph input
  MaskBounds(const Rewriter& graph, ValueId mask) : graph_(graph) { known_[mask] = {0, 0}; }

  Bounds of(ValueId value);

 private:
  Bounds computed(ValueId value);
  Bounds of_node(const Node& node);

  const Rewriter& graph_;
  std::map<ValueId, Bounds> known_;
  int depth_ = 0;
};

}  // namespace stashscope
