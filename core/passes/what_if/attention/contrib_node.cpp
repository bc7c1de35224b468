#include "core/passes/what_if/attention/contrib_node.h"

#include <limits>

namespace stashscope {

namespace {

/// The number added to scores of padding unless the node says otherwise.
constexpr float padding_score = -10000;

}  // namespace

ValueId ContribNode::slice(ValueId value, std::int64_t first, std::int64_t count) {
  TensorType made = graph_.type(value);
  if (made.shape) made.shape->back() = count;
  return writer_.add(
      "Slice",
      {value, writer_.integers({first}), writer_.integers({first + count}), writer_.integers({-1})},
      std::move(made));
}

ValueId ContribNode::add(std::string_view type, std::vector<ValueId> inputs) {
  TensorType made = graph_.type(inputs[0]);
  return writer_.add(type, std::move(inputs), std::move(made));
}

std::int64_t ContribNode::width(const Expr& size) {
  const auto known = size.integer();
  if (!known) throw AttentionStop{"has a number of features that is not known"};
  return *known;
}

void ContribNode::require_heads(const Expr& size, std::int64_t heads) {
  if (heads > 0 && (!size.integer() || *size.integer() % heads == 0)) return;
  throw AttentionStop{"has features that are no multiple of its heads"};
}

void ContribNode::add_padding(std::size_t input) {
  if (!has(input)) return;
  const Shape shape = shape_of(input);
  if (shape.size() > 3) throw AttentionStop{"has a mask with an axis of heads"};
  const Expr covered = shape.size() == 1 ? parts_.query[0] : parts_.key[2];
  if (!(shape.back() == covered)) {
    throw AttentionStop{"has a mask that is no list of keys, or does not cover all keys"};
  }
  const ElementType element = graph_.type(parts_.block.query.value).element;
  const float low = node_.attributes.real("mask_filter_value", padding_score);
  const ValueId bias = writer_.add("Where",
                                   {is_key(input, shape.size()), writer_.number(element, 0),
                                    writer_.number(element, double{low})},
                                   {element, {}, {}});
  parts_.block.steps.push_back({"Add", {bias}});
}

ValueId ContribNode::is_key(std::size_t input, std::size_t rank) {
  const ValueId mask = node_.inputs[input];
  if (rank == 1) {
    const ValueId counts = writer_.cast(mask, ElementType::int64);
    return first_keys(writer_, size(), writer_.reshape(counts, {-1, 1, 1, 1}));
  }
  const ValueId flags =
      writer_.add("Greater", {writer_.cast(mask, ElementType::int64), writer_.integer(0)},
                  {ElementType::boolean, graph_.type(mask).shape, {}});
  return rank == 3 ? writer_.unsqueeze(flags, {1}) : writer_.unsqueeze(flags, {1, 2});
}

void ContribNode::add_given_scale() {
  const double scale = double{node_.attributes.real("scale", 0)};
  add_scale(scale == 0 ? std::nullopt : std::optional(scale));
}

void ContribNode::add_bias_of_scores(std::size_t input) {
  if (has(input)) parts_.block.steps.push_back({"Add", {node_.inputs[input]}});
}

void ContribNode::hide_later(std::size_t padding, ValueId offset) {
  require_later_below_padding(padding);
  ScoreMask mask;
  mask.visible = earlier_keys(writer_, size(), offset);
  add_mask(writer_, mask, parts_);
}

/// Throws an AttentionStop if the score of padding is nearly as low as the score of later keys, to
/// which ONNX Runtime gives the lowest number of the type. Rows in which all earlier keys are
/// padding would then see later keys.
void ContribNode::require_later_below_padding(std::size_t padding) const {
  const bool is_half = graph_.type(parts_.block.query.value).element == ElementType::float16;
  const double lowest = is_half ? -65504 : double{std::numeric_limits<float>::lowest()};
  const double low = double{node_.attributes.real("mask_filter_value", padding_score)};
  if (!has(padding) || low > lowest / 2) return;
  throw AttentionStop{"hides padding and later keys with numbers of the same size"};
}

void ContribNode::require_opset() const {
  if (graph_.opset() < 13) throw AttentionStop{"is in a model of an opset below 13"};
}

void ContribNode::refuse(std::size_t input, const char* reason) const {
  if (has(input)) throw AttentionStop{reason};
}

void ContribNode::refuse_output(std::size_t output, const char* reason) const {
  if (wanted(output).valid()) throw AttentionStop{reason};
}

}  // namespace stashscope
