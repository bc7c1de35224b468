// Attention among the operators that ONNX Runtime adds to those of ONNX. (com.microsoft,
// ContribOperators.md)

#include <limits>

#include "core/passes/what_if/attention/fused_attentions.h"
#include "core/passes/what_if/attention/fused_node.h"

namespace stashscope {

namespace {

/// The number added to scores of padding unless the node says otherwise.
constexpr float padding_score = -10000;

/// What the readers of this file share.
class ContribNode : public FusedNode {
 protected:
  using FusedNode::FusedNode;

  /// Items [first, first + count) of the last axis.
  ValueId slice(ValueId value, std::int64_t first, std::int64_t count) {
    TensorType made = graph_.type(value);
    if (made.shape) made.shape->back() = count;
    return writer_.add("Slice",
                       {value, writer_.integers({first}), writer_.integers({first + count}),
                        writer_.integers({-1})},
                       std::move(made));
  }

  ValueId add(std::string_view type, std::vector<ValueId> inputs) {
    TensorType made = graph_.type(inputs[0]);
    return writer_.add(type, std::move(inputs), std::move(made));
  }

  std::int64_t width(const Expr& size) const {
    const auto known = size.integer();
    if (!known) throw AttentionStop{"has a number of features that is not known"};
    return *known;
  }

  void require_heads(const Expr& size, std::int64_t heads) const {
    if (heads > 0 && (!size.integer() || *size.integer() % heads == 0)) return;
    throw AttentionStop{"has features that are no multiple of its heads"};
  }

  /// Adds the step for a mask with numbers above 0 for keys that count: [batch, keys],
  /// [batch, rows, keys], or numbers of keys [batch].
  void add_padding(std::size_t input) {
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

  /// True for keys that are no padding, as it broadcasts to the scores.
  ValueId is_key(std::size_t input, std::size_t rank) {
    const ValueId mask = node_.inputs[input];
    if (rank == 1) {
      const ValueId counts = writer_.cast(mask, ElementType::int64);
      return first_keys(writer_, size(), writer_.reshape(counts, {-1, 1, 1, 1}));
    }
    const ValueId flags =
        writer_.add("Greater", {writer_.cast(mask, ElementType::int64), writer_.integer(0)},
                    {ElementType::boolean, graph_.type(mask).shape, {}});
    if (rank == 3) {
      return writer_.add("Unsqueeze", {flags, writer_.integers({1})},
                         {ElementType::boolean, {}, {}});
    }
    return writer_.add("Unsqueeze", {flags, writer_.integers({1, 2})},
                       {ElementType::boolean, {}, {}});
  }

  /// 0 stands for the default, as in ONNX Runtime.
  void add_given_scale() {
    const double scale = double{node_.attributes.real("scale", 0)};
    add_scale(scale == 0 ? std::nullopt : std::optional(scale));
  }

  void add_bias_of_scores(std::size_t input) {
    if (has(input)) parts_.block.steps.push_back({"Add", {node_.inputs[input]}});
  }

  /// @param padding the input with the mask of add_padding @param offset as in earlier_keys
  void hide_later(std::size_t padding, ValueId offset) {
    require_later_below_padding(padding);
    ScoreMask mask;
    mask.visible = earlier_keys(writer_, size(), offset);
    add_mask(writer_, mask, parts_);
  }

  /// ONNX Runtime gives later keys the lowest number of the type. Rows in which all earlier keys
  /// are padding would see later keys if the score of padding were nearly as low.
  void require_later_below_padding(std::size_t padding) const {
    const bool is_half = graph_.type(parts_.block.query.value).element == ElementType::float16;
    const double lowest = is_half ? -65504 : double{std::numeric_limits<float>::lowest()};
    const double low = double{node_.attributes.real("mask_filter_value", padding_score)};
    if (!has(padding) || low > lowest / 2) return;
    throw AttentionStop{"hides padding and later keys with numbers of the same size"};
  }

  void require_opset() const {
    if (graph_.opset() < 13) throw AttentionStop{"is in a model of an opset below 13"};
  }
  /// Stops for an input that is not understood.
  void refuse(std::size_t input, const char* reason) const {
    if (has(input)) throw AttentionStop{reason};
  }
  void refuse_output(std::size_t output, const char* reason) const {
    if (wanted(output).valid()) throw AttentionStop{reason};
  }
};

class MultiHeadAttention : public ContribNode {
 public:
  MultiHeadAttention(NodeWriter& writer, NodeId id)
      : ContribNode(writer, id), heads_(node_.attributes.require_integer("num_heads")) {}

  AttentionParts read() {
    check();
    const bool has_past = has(past_place);
    AttentionOperands operands = {split(biased(0, 0), heads_), keys(1), keys(2)};
    operands.key = with_cache(std::move(operands.key), past(0), wanted(1));
    operands.value = with_cache(std::move(operands.value), past(1), wanted(2));
    take(std::move(operands), true);
    add_given_scale();
    add_bias_of_scores(5);
    add_padding(4);
    if (node_.attributes.integer("unidirectional", 0) != 0) {
      require_square();
      hide_later(4, has_past ? writer_.length(node_.inputs[past_place], 2) : ValueId());
    }
    return std::move(parts_);
  }

 private:
  static constexpr std::size_t past_place = 6;  // of keys; values follow

  void check() const {
    require_opset();
    if (!has(1) || !has(2) || rank_of(0) != 3) {
      throw AttentionStop{"has queries, keys and values in one tensor"};
    }
    if (rank_of(1) != rank_of(2)) throw AttentionStop{"has keys and values of different layouts"};
    refuse(8, "has a cache of keys that is longer than they are");
    refuse(9, "reorders its cache of keys for a beam search");
    refuse_output(3, "has scores that are read, in a form that is not defined exactly");
    require_heads(shape_of(0).back(), heads_);
    if (has(past_place) && !has(past_place + 1)) throw AttentionStop{"has no earlier values"};
    if (has(past_place) && rank_of(past_place) != 4) {
      throw AttentionStop{"has earlier keys in another layout"};
    }
  }

  ValueId past(std::size_t index) const {
    return has(past_place) ? node_.inputs[past_place + index] : ValueId();
  }

  SplitHeads keys(std::size_t input) {
    if (rank_of(input) == 4) {
      const auto own = shape_of(input)[1].integer();
      if (own && *own != heads_) throw AttentionStop{"has keys of another number of heads"};
      return apart(node_.inputs[input]);
    }
    require_heads(shape_of(input).back(), heads_);
    const std::int64_t first = has(3) ? width(shape_of(0).back()) : 0;
    return split(biased(input, input == 1 ? first : first + keys_width()), heads_);
  }

  std::int64_t keys_width() { return has(3) ? width(shape_of(1).back()) : 0; }

  /// An input with its part of the bias, which begins at `first`.
  ValueId biased(std::size_t input, std::int64_t first) {
    const ValueId value = node_.inputs[input];
    if (!has(3)) return value;
    return add("Add", {value, slice(node_.inputs[3], first, width(shape_of(input).back()))});
  }

  /// With another number of new keys than rows, implementations differ in what is later.
  void require_square() const {
    const Expr keys = rank_of(1) == 4 ? shape_of(1)[2] : shape_of(1)[1];
    if (!(keys == shape_of(0)[1])) {
      throw AttentionStop{"hides later keys, but has another number of keys than rows"};
    }
  }

  std::int64_t heads_;
};

/// Attention of a first call: the cache of earlier keys is empty.
class GroupQueryAttention : public ContribNode {
 public:
  GroupQueryAttention(NodeWriter& writer, NodeId id)
      : ContribNode(writer, id),
        heads_(node_.attributes.require_integer("num_heads")),
        key_heads_(node_.attributes.require_integer("kv_num_heads")) {}

  AttentionParts read() {
    check();
    AttentionOperands operands = has(1) ? given_operands() : packed_operands();
    if (node_.attributes.integer("do_rotary", 0) != 0) {
      operands.query = rotated(std::move(operands.query));
      operands.key = rotated(std::move(operands.key));
    }
    operands.key = with_cache(std::move(operands.key), ValueId(), wanted(1));
    operands.value = with_cache(std::move(operands.value), ValueId(), wanted(2));
    take(std::move(operands), true);
    add_given_scale();
    add_soft_cap(double{node_.attributes.real("softcap", 0)});
    add_bias_of_scores(10);
    add_mask(writer_, mask(), parts_);
    return std::move(parts_);
  }

 private:
  void check() const {
    require_opset();
    refuse(3, "has a cache of earlier keys");
    refuse(9, "rotates by positions that are given");
    refuse(11, "has a sink of attention");
    refuse(12, "has a quantized cache");
    refuse(14, "normalizes its queries and keys");
    refuse(15, "normalizes its queries and keys");
    refuse(16, "has rows that are padding");
    refuse_output(3, "has scores that are read");
    const std::int64_t window = node_.attributes.integer("local_window_size", -1);
    if (window != -1 && window < 1) throw AttentionStop{"has a window without keys"};
    if (node_.attributes.integer("smooth_softmax", 0) == 1) {
      throw AttentionStop{"has a sink of attention"};
    }
    if (node_.attributes.integer("causal", 1) == 0) {
      throw AttentionStop{"sees later keys, of which some may be padding"};
    }
    if (node_.attributes.integer("kv_cache_bit_width", 0) != 0) {
      throw AttentionStop{"has a quantized cache"};
    }
    if (has(1) != has(2) || rank_of(0) != 3 || key_heads_ < 1 || heads_ % key_heads_ != 0) {
      throw AttentionStop{"has operands that do not fit together"};
    }
    if (has(1) && !(shape_of(1)[1] == shape_of(0)[1])) {
      throw AttentionStop{"has another number of keys than rows"};
    }
    require_heads(shape_of(0).back(), has(1) ? heads_ : heads_ + 2 * key_heads_);
  }

  AttentionOperands given_operands() {
    return {split(node_.inputs[0], heads_), split(node_.inputs[1], key_heads_),
            split(node_.inputs[2], key_heads_)};
  }

  AttentionOperands packed_operands() {
    const ValueId all = node_.inputs[0];
    const std::int64_t size = width(shape_of(0).back()) / (heads_ + 2 * key_heads_);
    const std::int64_t keys = key_heads_ * size;
    const std::int64_t queries = heads_ * size;
    return {split(slice(all, 0, queries), heads_), split(slice(all, queries, keys), key_heads_),
            split(slice(all, queries + keys, keys), key_heads_)};
  }

  /// The heads turned by their positions. (Su et al., RoFormer, arXiv 2104.09864)
  SplitHeads rotated(SplitHeads heads) {
    if (!has(7) || !has(8)) throw AttentionStop{"has no tables to rotate with"};
    const auto half = width(heads.shape.back()) / 2;
    if (width(shape_of(7).back()) != half) throw AttentionStop{"rotates a part of each head only"};
    // As in RotaryEmbedding of ONNX, tables that the model stores are no weights.
    for (const std::size_t table : {7U, 8U}) graph_.freeze(node_.inputs[table]);
    const ValueId whole = heads.operand.value;
    const bool alternates = node_.attributes.integer("rotary_interleaved", 0) != 0;
    const ValueId a = alternates ? every_second(whole, 0) : slice(whole, 0, half);
    const ValueId b = alternates ? every_second(whole, 1) : slice(whole, half, half);
    const ValueId cosines = by_position(7, heads.shape[2]);
    const ValueId sines = by_position(8, heads.shape[2]);
    const ValueId first = add("Sub", {add("Mul", {a, cosines}), add("Mul", {b, sines})});
    const ValueId second = add("Add", {add("Mul", {b, cosines}), add("Mul", {a, sines})});
    heads.operand.value = joined(first, second, graph_.type(whole), alternates);
    return heads;
  }

  /// Items first, first + 2, ... of the last axis.
  ValueId every_second(ValueId value, std::int64_t first) {
    TensorType made = graph_.type(value);
    const std::int64_t size = width(made.shape->back());
    made.shape->back() = size / 2;
    return writer_.add("Slice",
                       {value, writer_.integers({first}), writer_.integers({size}),
                        writer_.integers({-1}), writer_.integers({2})},
                       std::move(made));
  }

  /// The rows of a table for positions 0, 1, ...; [positions, 1, half of the size].
  ValueId by_position(std::size_t table, const Expr& positions) {
    const ValueId value = node_.inputs[table];
    const std::string key = "rows of table " + std::to_string(value.index()) + " " +
                            to_string(positions, graph_.original().symbols());
    return writer_.once(key, [&] {
      const ElementType element = graph_.type(value).element;
      const ValueId end = writer_.reshape(writer_.length(node_.inputs[0], 1), {1});
      const ValueId rows = writer_.add(
          "Slice", {value, writer_.integers({0}), end, writer_.integers({0})}, {element, {}, {}});
      return writer_.add("Unsqueeze", {rows, writer_.integers({1})}, {element, {}, {}});
    });
  }

  /// Both halves of the heads as they were: one behind the other, or item by item in turn.
  ValueId joined(ValueId first, ValueId second, TensorType made, bool alternates) {
    if (!alternates) {
      return writer_.add("Concat", {first, second}, std::move(made), {{"axis", std::int64_t{-1}}});
    }
    const ValueId last = writer_.integers({-1});
    const auto longer = [&](ValueId half) {
      return writer_.add("Unsqueeze", {half, last}, {made.element, {}, {}});
    };
    const ValueId pairs = writer_.add("Concat", {longer(first), longer(second)},
                                      {made.element, {}, {}}, {{"axis", std::int64_t{-1}}});
    const Shape shape = *made.shape;
    return writer_.reshape(pairs, {0, 0, width(shape[2]), width(shape[3])}, shape);
  }

  /// Rows of padding at the end have any result, so that their number does not matter.
  ScoreMask mask() {
    ScoreMask mask;
    mask.visible = earlier_keys(writer_, size(), ValueId());
    const std::int64_t window = node_.attributes.integer("local_window_size", -1);
    if (window > 0) {
      const ValueId far = earlier_keys(writer_, size(), writer_.integer(-window));
      const ValueId near = writer_.add("Not", {far}, {ElementType::boolean, {}, {}});
      mask.visible = both_visible(writer_, mask.visible, near);
    }
    return mask;
  }

  std::int64_t heads_;
  std::int64_t key_heads_;
};

/// The projection to queries, keys and values is a part of the node.
class ProjectingAttention : public ContribNode {
 public:
  ProjectingAttention(NodeWriter& writer, NodeId id)
      : ContribNode(writer, id), heads_(node_.attributes.require_integer("num_heads")) {}

  AttentionParts read() {
    check();
    const std::vector<std::int64_t> sizes = widths();
    const ValueId all = projected();
    take({split(slice(all, 0, sizes[0]), heads_), split(slice(all, sizes[0], sizes[1]), heads_),
          split(slice(all, sizes[0] + sizes[1], sizes[2]), heads_)},
         true);
    add_given_scale();
    add_bias_of_scores(5);
    add_padding(3);
    if (node_.attributes.integer("unidirectional", 0) != 0) hide_later(3, ValueId());
    return std::move(parts_);
  }

 private:
  void check() const {
    require_opset();
    if (rank_of(0) != 3 || rank_of(1) != 2) {
      throw AttentionStop{"has operands that do not fit together"};
    }
    refuse(4, "has a cache of earlier keys");
    refuse(6, "has a cache of earlier keys");
    refuse_output(1, "has a cache that is read");
    if (node_.attributes.integer("do_rotary", 0) != 0) {
      throw AttentionStop{"rotates its queries and keys"};
    }
  }

  std::vector<std::int64_t> widths() const {
    const std::int64_t all = width(shape_of(1).back());
    std::vector<std::int64_t> sizes = node_.attributes.integers("qkv_hidden_sizes");
    if (sizes.empty()) sizes.assign(3, all / 3);
    const bool fits = sizes.size() == 3 && sizes[0] + sizes[1] + sizes[2] == all;
    for (const std::int64_t size : sizes) require_heads(size, heads_);
    if (!fits || sizes[0] != sizes[1]) throw AttentionStop{"has weights of another width"};
    return sizes;
  }

  ValueId projected() {
    TensorType made = graph_.type(node_.inputs[0]);
    made.shape->back() = shape_of(1).back();
    const ValueId product =
        writer_.add("MatMul", {node_.inputs[0], node_.inputs[1]}, std::move(made));
    return has(2) ? add("Add", {product, node_.inputs[2]}) : product;
  }

  std::int64_t heads_;
};

}  // namespace

AttentionParts read_multi_head_attention(NodeWriter& writer, NodeId id, const std::string&) {
  return MultiHeadAttention(writer, id).read();
}

AttentionParts read_group_query_attention(NodeWriter& writer, NodeId id, const std::string&) {
  return GroupQueryAttention(writer, id).read();
}

AttentionParts read_projecting_attention(NodeWriter& writer, NodeId id, const std::string&) {
  return ProjectingAttention(writer, id).read();
}

}  // namespace stashscope
