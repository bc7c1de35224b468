#pragma once

#include <limits>
#include <map>
#include <optional>

#include "core/passes/rewriting/rewriter.h"

namespace stashscope {

/// The range in which elements of a value lie.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  /// Whether the range is only that of later keys: elements whose place along the last axis is
  /// above that along the axis before it.
  bool of_later_keys = false;

  /// Whether all elements are one number.
  bool is(double number) const { return low == number && high == number; }
};

/// Computes in which range values lie where scores are to be hidden: where a mask is 0, or for
/// later keys. Values that depend on other data may have any number.
class MaskBounds {
 public:
  /// Keeps a reference to the graph. @param mask a graph input; invalid: for later keys
  MaskBounds(const Rewriter& graph, ValueId mask) : graph_(graph), later_keys_(!mask.valid()) {
    if (mask.valid()) known_[mask] = {0, 0};
  }

  Bounds of(ValueId value);

 private:
  Bounds computed(ValueId value);
  Bounds of_node(const Node& node);
  Bounds of_constant(const Tensor& tensor) const;
  Bounds passed_on(const Node& node);
  Bounds clipped(const Node& node);
  Bounds of_triangle(const Node& node);
  Bounds difference(ValueId a, ValueId b);
  std::optional<Bounds> compared(const Node& node);
  Bounds chosen(const Node& node);
  std::optional<Bounds> of_truth(const Node& node);

  const Rewriter& graph_;
  bool later_keys_;
  std::map<ValueId, Bounds> known_;
  int depth_ = 0;
};

}  // namespace stashscope
