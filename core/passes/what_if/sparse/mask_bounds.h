#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "core/passes/rewriting/rewriter.h"

namespace stashscope {

/// The range in which elements of a value lie.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  /// Whether the range holds only for the elements of later keys, or, for `KeyKind::shown`, of own
  /// keys. An element of a later key has a larger position along the last axis than along the axis
  /// before it; for an own key, the two positions are equal.
  bool of_later_keys = false;

  /// Whether all elements are one number.
  bool is(double number) const { return low == number && high == number; }
};

Bounds negated(const Bounds& bounds);

/// The keys for which ranges are computed.
enum class KeyKind : std::uint8_t {
  hidden,  ///< those for which the mask is 0 or, without a mask, later keys
  shown,   ///< those for which the mask is 1 or, without a mask, the own key of each row
};

/// Computes in which range values lie for some keys. Values that depend on other data may have any
/// number.
class MaskBounds {
 public:
  /// Keeps references to its arguments. Values that depend on the mask, but that its flow does not
  /// follow, have unknown ranges, because their elements may come from other tokens.
  MaskBounds(const Rewriter& graph, const struct FollowedMask& mask, KeyKind kind);

  Bounds of(ValueId value);

 private:
  bool is_meant(std::int64_t ahead) const;
  bool is_lost(ValueId value) const;
  Bounds within_type(ValueId value, Bounds bounds) const;
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
  const struct FollowedMask& mask_;
  bool by_place_;
  KeyKind kind_;
  std::map<ValueId, Bounds> known_;
  int depth_ = 0;
};

}  // namespace stashscope
