// ONNX Runtime's operator GroupQueryAttention. (com.microsoft, ContribOperators.md)

#include "core/passes/what_if/attention/contrib_node.h"
#include "core/passes/what_if/attention/fused_attentions.h"

namespace stashscope {

namespace {

/// Attention of a first call: the cache of earlier keys is empty.
class GroupQueryAttention : public ContribNode {
 public:
  GroupQueryAttention(NodeWriter& writer, NodeId id)
      : ContribNode(writer, id),
        heads_(node_.attributes.require_integer("num_heads")),
        key_heads_(node_.attributes.require_integer("kv_num_heads")) {}

  AttentionParts read() {
    check();
    AttentionOperands operands = has(key_place) ? given_operands() : packed_operands();
    if (node_.attributes.integer("do_rotary", 0) != 0) {
      operands.query = rotated(std::move(operands.query));
      operands.key = rotated(std::move(operands.key));
    }
    operands.key = with_cache(std::move(operands.key), ValueId(), wanted(present_key_place));
    operands.value = with_cache(std::move(operands.value), ValueId(), wanted(present_value_place));
    take(std::move(operands), true);
    add_given_scale();
    add_soft_cap(double{node_.attributes.real("softcap", 0)});
    add_bias_of_scores(score_bias_place);
    add_mask(writer_, mask(), parts_);
    return std::move(parts_);
  }

 private:
  enum Input : std::size_t {
    query_place,
    key_place,
    value_place,
    past_key_place,
    cosines_place = 7,
    sines_place,
    positions_place,
    score_bias_place,
    sink_place,
    key_scale_place,
    query_norm_place = 14,
    key_norm_place,
    row_counts_place
  };
  enum Output : std::size_t { present_key_place = 1, present_value_place, shown_place };

  void check() const {
    require_opset();
    refuse(past_key_place, "has a cache of earlier keys");
    refuse(positions_place, "rotates by positions that are given");
    refuse(sink_place, "has a sink of attention");
    refuse(key_scale_place, "has a quantized cache");
    refuse(query_norm_place, "normalizes its queries and keys");
    refuse(key_norm_place, "normalizes its queries and keys");
    refuse(row_counts_place, "has rows that are padding");
    refuse_output(shown_place, "has scores that are read");
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
    if (has(key_place) != has(value_place) || rank_of(query_place) != 3 || key_heads_ < 1 ||
        heads_ % key_heads_ != 0) {
      throw AttentionStop{"has operands that do not fit together"};
    }
    if (has(key_place) && !(shape_of(key_place)[1] == shape_of(query_place)[1])) {
      throw AttentionStop{"has another number of keys than rows"};
    }
    require_heads(shape_of(query_place).back(), has(key_place) ? heads_ : heads_ + 2 * key_heads_);
  }

  AttentionOperands given_operands() {
    return {split(node_.inputs[query_place], heads_), split(node_.inputs[key_place], key_heads_),
            split(node_.inputs[value_place], key_heads_)};
  }

  AttentionOperands packed_operands() {
    const ValueId all = node_.inputs[query_place];
    const std::int64_t size = width(shape_of(query_place).back()) / (heads_ + 2 * key_heads_);
    const std::int64_t keys = key_heads_ * size;
    const std::int64_t queries = heads_ * size;
    return {split(slice(all, 0, queries), heads_), split(slice(all, queries, keys), key_heads_),
            split(slice(all, queries + keys, keys), key_heads_)};
  }

  /// The heads rotated according to their positions. (Su et al., RoFormer, arXiv 2104.09864)
  SplitHeads rotated(SplitHeads heads) {
    if (!has(cosines_place) || !has(sines_place))
      throw AttentionStop{"has no tables to rotate with"};
    const auto half = width(heads.shape.back()) / 2;
    if (width(shape_of(cosines_place).back()) != half)
      throw AttentionStop{"rotates a part of each head only"};
    // As in RotaryEmbedding of ONNX, tables that the model stores are no weights.
    for (const Input table : {cosines_place, sines_place})
      parts_.frozen.push_back(node_.inputs[table]);
    const ValueId whole = heads.operand.value;
    const bool alternates = node_.attributes.integer("rotary_interleaved", 0) != 0;
    const ValueId a = alternates ? every_second(whole, 0) : slice(whole, 0, half);
    const ValueId b = alternates ? every_second(whole, 1) : slice(whole, half, half);
    const ValueId cosines = by_position(cosines_place, heads.shape[2]);
    const ValueId sines = by_position(sines_place, heads.shape[2]);
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
      const ValueId end = writer_.reshape(writer_.length(node_.inputs[query_place], 1), {1});
      const ValueId rows = writer_.add(
          "Slice", {value, writer_.integers({0}), end, writer_.integers({0})}, {element, {}, {}});
      return writer_.unsqueeze(rows, {1});
    });
  }

  /// Joins the two halves of the heads as they lay before: one after the other or, if `alternates`,
  /// item by item in turn.
  ValueId joined(ValueId first, ValueId second, TensorType made, bool alternates) {
    if (!alternates) {
      return writer_.add("Concat", {first, second}, std::move(made), {{"axis", std::int64_t{-1}}});
    }
    const ValueId pairs =
        writer_.add("Concat", {writer_.unsqueeze(first, {-1}), writer_.unsqueeze(second, {-1})},
                    {made.element, {}, {}}, {{"axis", std::int64_t{-1}}});
    const Shape shape = *made.shape;
    return writer_.reshape(pairs, {0, 0, width(shape[2]), width(shape[3])}, shape);
  }

  /// Rows of padding at the end may have any result, so the mask need not know their number.
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

}  // namespace

AttentionParts read_group_query_attention(NodeWriter& writer, NodeId id) {
  return GroupQueryAttention(writer, id).read();
}

}  // namespace stashscope
