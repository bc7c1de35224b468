#include "core/passes/what_if/attention/attention_masks.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stashscope {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

ValueId add_integers(NodeWriter& writer, std::string_view type, std::vector<ValueId> inputs) {
  return writer.add(type, std::move(inputs), {ElementType::int64, {}, {}});
}

ValueId add_flags(NodeWriter& writer, std::string_view type, std::vector<ValueId> inputs) {
  return writer.add(type, std::move(inputs), {ElementType::boolean, {}, {}});
}

/// 0, 1, ... below a length.
ValueId counted(NodeWriter& writer, ValueId length) {
  return add_integers(writer, "Range", {writer.integer(0), length, writer.integer(1)});
}

/// The largest item of each row, [..., rows, 1].
ValueId greatest(NodeWriter& writer, ValueId items) {
  const ElementType element = writer.graph().type(items).element;
  if (writer.graph().opset() >= 18) {
    return writer.add("ReduceMax", {items, writer.integers({-1})}, {element, {}, {}});
  }
  return writer.add("ReduceMax", {items}, {element, {}, {}}, {{"axes", Integers{-1}}});
}

/// Whether each row has a visible score, [..., rows, 1].
ValueId rows_with_keys(NodeWriter& writer, const ScoreMask& mask) {
  if (!mask.bias.valid()) {
    const ValueId flags = writer.cast(mask.visible, ElementType::int32);
    return writer.cast(greatest(writer, flags), ElementType::boolean);
  }
  const ElementType element = writer.graph().type(mask.bias).element;
  const ValueId hidden = writer.number(element, minus_infinity);
  ValueId items = mask.bias;
  if (mask.visible.valid()) {
    items = writer.add("Where", {mask.visible, mask.bias, hidden}, {element, {}, {}});
  }
  return add_flags(writer, "Greater", {greatest(writer, items), hidden});
}

/// Whether the items are known and finite.
bool is_finite_constant(const Rewriter& graph, ValueId value) {
  const Tensor* const tensor = graph.constant(value);
  const auto items = tensor == nullptr ? std::nullopt : tensor->reals();
  return items && std::ranges::all_of(*items, [](double item) { return std::isfinite(item); });
}

}  // namespace

ValueId earlier_keys(NodeWriter& writer, const ScoreSize& size, ValueId offset) {
  const auto make = [&] {
    const ValueId rows = writer.reshape(counted(writer, size.rows), {-1, 1});
    const ValueId more = offset.valid() ? add_integers(writer, "Add", {offset, writer.integer(1)})
                                        : writer.integer(1);
    const ValueId end = add_integers(writer, "Add", {rows, more});
    return add_flags(writer, "Less", {counted(writer, size.keys), end});
  };
  const auto text = [](ValueId id) { return std::to_string(id.index()); };
  if (offset.valid()) return make();
  return writer.once("earlier keys " + text(size.rows) + " " + text(size.keys), make);
}

ValueId first_keys(NodeWriter& writer, const ScoreSize& size, ValueId counts) {
  return add_flags(writer, "Less", {counted(writer, size.keys), counts});
}

ValueId both_visible(NodeWriter& writer, ValueId a, ValueId b) {
  if (!a.valid() || !b.valid()) return a.valid() ? a : b;
  return add_flags(writer, "And", {a, b});
}

void add_mask(NodeWriter& writer, const ScoreMask& mask, AttentionParts& parts) {
  if (mask.bias.valid()) parts.block.steps.push_back({"Add", {mask.bias}});
  if (!mask.visible.valid()) return;
  const ElementType element = writer.graph().type(parts.block.query.value).element;
  const ValueId hidden = writer.number(element, minus_infinity);
  if (mask.is_added) {
    const ValueId zero = writer.number(element, 0);
    const ValueId bias = writer.add("Where", {mask.visible, zero, hidden}, {element, {}, {}});
    parts.block.steps.push_back({"Add", {bias}});
  } else {
    parts.block.steps.push_back({"Where", {mask.visible, hidden}});
  }
}

void guard_hidden_rows(NodeWriter& writer, const ScoreMask& mask, AttentionParts& parts) {
  const bool is_known = !mask.visible.valid() && is_finite_constant(writer.graph(), mask.bias);
  if (!mask.may_hide_rows || is_known) return;
  const ElementType element = writer.graph().type(parts.block.query.value).element;
  parts.visible_rows = rows_with_keys(writer, mask);
  parts.block.steps.push_back({"Where", {parts.visible_rows, writer.number(element, 0)}});
}

}  // namespace stashscope
