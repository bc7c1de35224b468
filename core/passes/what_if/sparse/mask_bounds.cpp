#include "core/passes/what_if/sparse/mask_bounds.h"

#include <algorithm>
#include <cmath>

#include "core/ops/rules/elementwise.h"
#include "core/passes/what_if/sparse/coordinates.h"
#include "core/passes/what_if/sparse/followed_mask.h"

namespace stashscope {

namespace {

/// The ranges of values that need a deeper recursion are unknown.
constexpr int most_depth = 64;

/// A range that holds where those of both operands hold.
Bounds both(const Bounds& a, const Bounds& b, double low, double high) {
  return {low, high, a.of_later_keys || b.of_later_keys};
}

Bounds hull(const Bounds& a, const Bounds& b) {
  return both(a, b, std::min(a.low, b.low), std::max(a.high, b.high));
}

Bounds number(double item) { return {item, item}; }

/// The range of a sum; unknown if infinities of both signs meet.
Bounds sum(const Bounds& a, const Bounds& b) {
  const double low = a.low + b.low;
  const double high = a.high + b.high;
  return low <= high ? both(a, b, low, high) : Bounds();
}

/// The range of a product; unknown if 0 meets an infinity.
Bounds product(const Bounds& a, const Bounds& b) {
  const double corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  const auto [least, most] = std::minmax_element(std::begin(corners), std::end(corners));
  const bool known = std::all_of(std::begin(corners), std::end(corners),
                                 [](double corner) { return corner == corner; });
  return known ? both(a, b, *least, *most) : Bounds();
}

/// The range of the truth values `element == 0`.
Bounds is_zero(const Bounds& a) {
  if (a.is(0)) return {1, 1, a.of_later_keys};
  return a.low > 0 || a.high < 0 ? Bounds{0, 0, a.of_later_keys} : Bounds{0, 1};
}

Bounds inverted(const Bounds& a) { return {1 - a.high, 1 - a.low, a.of_later_keys}; }

Bounds cast(const Bounds& a, ElementType to) {
  if (to == ElementType::boolean) return inverted(is_zero(a));
  return is_integer(to) ? Bounds{std::trunc(a.low), std::trunc(a.high), a.of_later_keys} : a;
}

}  // namespace

Bounds negated(const Bounds& bounds) { return {-bounds.high, -bounds.low, bounds.of_later_keys}; }

MaskBounds::MaskBounds(const Rewriter& graph, const FollowedMask& mask, KeyKind kind)
    : graph_(graph), mask_(mask), by_place_(!mask.input.valid()), kind_(kind) {
  if (by_place_) return;
  const double item = kind == KeyKind::hidden ? 0 : 1;
  known_[mask.input] = {item, item};
}

Bounds MaskBounds::of(ValueId value) {
  if (!value.valid()) return {};
  const auto found = known_.find(value);
  if (found != known_.end()) return found->second;
  if (depth_ > most_depth) return {};
  ++depth_;
  const Bounds bounds = computed(value);
  --depth_;
  known_[value] = bounds;
  return bounds;
}

bool MaskBounds::is_lost(ValueId value) const {
  return mask_.dependent.contains(value) && mask_.flow.find(value) == nullptr;
}

/// Whether ranges are computed for a key that lies `ahead` positions after its row.
bool MaskBounds::is_meant(std::int64_t ahead) const {
  return kind_ == KeyKind::hidden ? ahead > 0 : ahead == 0;
}

/// Bounds that hold in the value's element type. Integers may wrap around, so bounds outside of
/// their type become unknown.
Bounds MaskBounds::within_type(ValueId value, Bounds bounds) const {
  const ElementType element = graph_.type(value).element;
  if (element == ElementType::boolean) {
    return {std::max(bounds.low, 0.0), std::min(bounds.high, 1.0), bounds.of_later_keys};
  }
  if (!is_integer(element)) return bounds;
  const int bits = bits_per_element(element);
  const bool has_sign = !is_unsigned_integer(element);
  const double most = std::ldexp(1.0, has_sign ? bits - 1 : bits);
  const double least = has_sign ? -most : 0;
  const auto wraps = [&](double end) {
    return std::isinf(end) ? bits < 32 : end < least || end >= most;
  };
  return wraps(bounds.low) || wraps(bounds.high) ? Bounds() : bounds;
}

/// The range of all elements. If keys are told apart by position and the tensor has axes of rows
/// and keys, only elements of the keys in question count.
Bounds MaskBounds::of_constant(const Tensor& tensor) const {
  const auto& dims = tensor.dims();
  const std::size_t rank = dims.size();
  const bool has_keys = by_place_ && rank > 1 && dims[rank - 1] > 1 && dims[rank - 2] > 1;
  Bounds bounds = {std::numeric_limits<double>::infinity(),
                   -std::numeric_limits<double>::infinity(), has_keys};
  const auto take = [&](const auto& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      if (has_keys && !is_meant(at % dims[rank - 1] - at / dims[rank - 1] % dims[rank - 2]))
        continue;
      bounds.low = std::min(bounds.low, static_cast<double>(items[i]));
      bounds.high = std::max(bounds.high, static_cast<double>(items[i]));
    }
  };
  if (const auto whole = tensor.integers()) {
    take(*whole);
  } else if (const auto reals = tensor.reals()) {
    take(*reals);
  }
  return bounds.low <= bounds.high ? bounds : Bounds();
}

Bounds MaskBounds::computed(ValueId value) {
  if (const auto item = graph_.scalar(value)) return number(*item);
  const Tensor* const tensor = graph_.constant(value);
  if (tensor != nullptr && tensor->has_data()) return of_constant(*tensor);
  const NodeId maker = graph_.maker(value);
  const bool is_known = maker.valid() && !is_lost(value);
  return within_type(value, is_known ? of_node(graph_.node(maker)) : Bounds());
}

/// A range that holds only for later keys or own keys stays valid after a node that leaves the last
/// two axes as they are. After any other node, the range is unknown.
Bounds MaskBounds::passed_on(const Node& node) {
  const Bounds bounds = of(node.inputs[0]);
  const bool keeps = keeps_last_axes(graph_, node);
  return bounds.of_later_keys && !keeps ? Bounds() : bounds;
}

Bounds MaskBounds::clipped(const Node& node) {
  const auto limit = [&](std::size_t index, double otherwise) {
    const bool there = index < node.inputs.size() && node.inputs[index].valid();
    return there ? of(node.inputs[index]) : number(otherwise);
  };
  const Bounds items = of(node.inputs[0]);
  const Bounds least = limit(1, -std::numeric_limits<double>::infinity());
  const Bounds most = limit(2, std::numeric_limits<double>::infinity());
  return {std::min(std::max(items.low, least.low), most.low),
          std::min(std::max(items.high, least.high), most.high), items.of_later_keys};
}

/// Trilu keeps the elements above or below a diagonal and makes the others 0.
Bounds MaskBounds::of_triangle(const Node& node) {
  const Bounds items = of(node.inputs[0]);
  const bool has_diagonal = node.inputs.size() > 1 && node.inputs[1].valid();
  const auto diagonal = has_diagonal ? graph_.integers(node.inputs[1]) : Integers{0};
  if (by_place_ && diagonal && diagonal->size() == 1) {
    const bool is_upper = node.attributes.integer("upper", 1) != 0;
    const std::int64_t first = diagonal->front();
    const bool is_own = kind_ == KeyKind::shown;
    const Bounds kept = {items.low, items.high, true};
    if (is_upper && first <= (is_own ? 0 : 1)) return kept;
    if (!is_upper && first <= (is_own ? -1 : 0)) return {0, 0, true};
    if (is_own) return is_upper ? Bounds{0, 0, true} : kept;
  }
  return hull(items, number(0));
}

/// The range of a - b. For later keys, the position of the key is above that of the row.
Bounds MaskBounds::difference(ValueId a, ValueId b) {
  const auto first = by_place_ ? coordinate_of(graph_, a) : std::nullopt;
  const auto second = by_place_ ? coordinate_of(graph_, b) : std::nullopt;
  if (first && second && first->from_end + second->from_end == 3) {
    const double apart = static_cast<double>(first->offset - second->offset);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (kind_ == KeyKind::shown) return {apart, apart, true};
    return first->from_end == 1 ? Bounds{apart + 1, infinity, true}
                                : Bounds{-infinity, apart - 1, true};
  }
  return sum(of(a), negated(of(b)));
}

std::optional<Bounds> MaskBounds::compared(const Node& node) {
  const bool has_or_equal = is(node, "GreaterOrEqual") || is(node, "LessOrEqual");
  const bool is_greater = is(node, "Greater") || is(node, "GreaterOrEqual");
  if (!has_or_equal && !is_greater && !is(node, "Less")) return std::nullopt;
  const Bounds apart = is_greater ? difference(node.inputs[0], node.inputs[1])
                                  : difference(node.inputs[1], node.inputs[0]);
  const bool holds = has_or_equal ? apart.low >= 0 : apart.low > 0;
  const bool fails = has_or_equal ? apart.high < 0 : apart.high <= 0;
  if (!holds && !fails) return Bounds{0, 1};
  return Bounds{holds ? 1.0 : 0.0, holds ? 1.0 : 0.0, apart.of_later_keys};
}

Bounds MaskBounds::chosen(const Node& node) {
  const Bounds condition = of(node.inputs[0]);
  const Bounds first = of(node.inputs[1]);
  const Bounds second = of(node.inputs[2]);
  Bounds made = condition.is(1) ? first : condition.is(0) ? second : hull(first, second);
  made.of_later_keys = made.of_later_keys || condition.of_later_keys;
  return made;
}

std::optional<Bounds> MaskBounds::of_truth(const Node& node) {
  const auto in = [&](std::size_t index) { return of(node.inputs[index]); };
  if (is(node, "Not")) return inverted(in(0));
  if (is(node, "And")) {
    return both(in(0), in(1), std::min(in(0).low, in(1).low), std::min(in(0).high, in(1).high));
  }
  if (is(node, "Or")) {
    return both(in(0), in(1), std::max(in(0).low, in(1).low), std::max(in(0).high, in(1).high));
  }
  if (is(node, "Equal")) return is_zero(difference(node.inputs[0], node.inputs[1]));
  return compared(node);
}

Bounds MaskBounds::of_node(const Node& node) {
  const auto in = [&](std::size_t index) { return of(node.inputs[index]); };
  if (const auto truth = of_truth(node)) return *truth;
  if (passes_elements_on(node)) return passed_on(node);
  if (is(node, "Add")) return sum(in(0), in(1));
  if (is(node, "Sub")) return difference(node.inputs[0], node.inputs[1]);
  if (is(node, "Neg")) return negated(in(0));
  if (is(node, "Mul")) return product(in(0), in(1));
  if (is(node, "Where")) return chosen(node);
  if (is(node, "Clip")) return clipped(node);
  if (is(node, "Trilu")) return of_triangle(node);
  if (is(node, "Cast")) {
    return cast(in(0), graph_.type(node.outputs[0]).element);
  }
  if (is(node, "ConstantOfShape")) {
    const Tensor* const item = node.attributes.tensor("value");
    return item == nullptr ? number(0) : of_constant(*item);
  }
  return {};
}

}  // namespace stashscope
