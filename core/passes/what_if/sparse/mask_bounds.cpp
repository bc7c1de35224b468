#include "core/passes/what_if/sparse/mask_bounds.h"

#include <algorithm>

namespace stashscope {

namespace {

/// Deeper chains of nodes do not compute masks.
constexpr int most_depth = 64;

Bounds hull(const Bounds& a, const Bounds& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Bounds truth() { return {0, 1}; }
Bounds number(double item) { return {item, item}; }

/// The range of a sum; unknown if infinities of both signs meet.
Bounds sum(const Bounds& a, const Bounds& b) {
  const Bounds all = {a.low + b.low, a.high + b.high};
  return all.low <= all.high ? all : Bounds();
}

Bounds negated(const Bounds& a) { return {-a.high, -a.low}; }

/// The range of a product; unknown if 0 meets an infinity.
Bounds product(const Bounds& a, const Bounds& b) {
  const double corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  const auto [least, most] = std::minmax_element(std::begin(corners), std::end(corners));
  const bool known = std::all_of(std::begin(corners), std::end(corners),
                                 [](double corner) { return corner == corner; });
  return known ? Bounds{*least, *most} : Bounds();
}

/// Whether elements are 0: 1, 0, or both possible.
Bounds is_zero(const Bounds& a) {
  if (a.is(0)) return number(1);
  return a.low > 0 || a.high < 0 ? number(0) : truth();
}

Bounds inverted(const Bounds& a) { return {1 - a.high, 1 - a.low}; }

Bounds elements_of(const Tensor& tensor) {
  Bounds bounds;
  const auto take = [&](const auto& items) {
    if (items.empty()) return;
    const auto [least, most] = std::minmax_element(items.begin(), items.end());
    bounds = {static_cast<double>(*least), static_cast<double>(*most)};
  };
  if (const auto whole = tensor.integers()) {
    take(*whole);
  } else if (const auto reals = tensor.reals()) {
    take(*reals);
  }
  return bounds;
}

/// Operators whose elements are elements of their first operand.
bool passes_on(const Node& node) {
  for (const char* type : {"Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Expand",
                           "Transpose", "Slice", "Tile"}) {
    if (is(node, type)) return true;
  }
  return false;
}

}  // namespace

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

Bounds MaskBounds::computed(ValueId value) {
  if (const auto item = graph_.scalar(value)) return number(*item);
  const Tensor* const tensor = graph_.constant(value);
  if (tensor != nullptr && tensor->has_data()) return elements_of(*tensor);
  const NodeId maker = graph_.maker(value);
  const Bounds made = maker.valid() ? of_node(graph_.node(maker)) : Bounds();
  return graph_.type(value).element == ElementType::boolean
             ? Bounds{std::max(made.low, 0.0), std::min(made.high, 1.0)}
             : made;
}

Bounds MaskBounds::of_node(const Node& node) {
  const auto in = [&](std::size_t index) {
    return index < node.inputs.size() ? of(node.inputs[index]) : Bounds();
  };
  if (passes_on(node)) return in(0);
  if (is(node, "Add")) return sum(in(0), in(1));
  if (is(node, "Sub")) return sum(in(0), negated(in(1)));
  if (is(node, "Neg")) return negated(in(0));
  if (is(node, "Mul")) return product(in(0), in(1));
  if (is(node, "Not")) return inverted(in(0));
  if (is(node, "And")) return {std::min(in(0).low, in(1).low), std::min(in(0).high, in(1).high)};
  if (is(node, "Or")) return {std::max(in(0).low, in(1).low), std::max(in(0).high, in(1).high)};
  if (is(node, "Equal")) return is_zero(sum(in(0), negated(in(1))));
  if (is(node, "Where")) {
    const Bounds condition = in(0);
    if (condition.is(1)) return in(1);
    return condition.is(0) ? in(2) : hull(in(1), in(2));
  }
  if (is(node, "Cast")) {
    const bool to_truth = graph_.type(node.outputs[0]).element == ElementType::boolean;
    return to_truth ? inverted(is_zero(in(0))) : in(0);
  }
  if (is(node, "Clip") && node.inputs.size() > 1) {
    const auto limit = [&](std::size_t index, Bounds otherwise) {
      const bool there = index < node.inputs.size() && node.inputs[index].valid();
      return there ? of(node.inputs[index]) : otherwise;
    };
    const Bounds least = limit(1, number(-std::numeric_limits<double>::infinity()));
    const Bounds most = limit(2, number(std::numeric_limits<double>::infinity()));
    return {std::min(std::max(in(0).low, least.low), most.low),
            std::min(std::max(in(0).high, least.high), most.high)};
  }
  if (is(node, "ConstantOfShape")) {
    const Tensor* const item = node.attributes.tensor("value");
    return item == nullptr ? number(0) : elements_of(*item);
  }
  return {};
}

}  // namespace stashscope
