// The attention operators that ONNX Runtime adds to those of ONNX, except GroupQueryAttention.
// (com.microsoft, ContribOperators.md)

#include "core/passes/what_if/attention/contrib_node.h"
#include "core/passes/what_if/attention/fused_attentions.h"

namespace stashscope {

namespace {

class MultiHeadAttention : public ContribNode {
 public:
  MultiHeadAttention(NodeWriter& writer, NodeId id)
      : ContribNode(writer, id), heads_(node_.attributes.require_integer("num_heads")) {}

  AttentionParts read() {
    check();
    AttentionOperands operands = {split(biased(query_place, 0), heads_), keys(key_place),
                                  keys(value_place)};
    operands.key =
        with_cache(std::move(operands.key), past(past_key_place), wanted(present_key_place));
    operands.value =
        with_cache(std::move(operands.value), past(past_value_place), wanted(present_value_place));
    take(std::move(operands), true);
    add_given_scale();
    add_bias_of_scores(score_bias_place);
    add_padding(padding_place);
    if (node_.attributes.integer("unidirectional", 0) != 0) {
      require_square();
      hide_later(padding_place,
                 has(past_key_place) ? writer_.length(past(past_key_place), 2) : ValueId());
    }
    return std::move(parts_);
  }

 private:
  enum Input : std::size_t {
    query_place,
    key_place,
    value_place,
    bias_place,
    padding_place,
    score_bias_place,
    past_key_place,
    past_value_place,
    past_length_place,
    indirection_place
  };
  enum Output : std::size_t { present_key_place = 1, present_value_place, shown_place };

  void check() const {
    require_opset();
    if (!has(key_place) || !has(value_place) || rank_of(query_place) != 3) {
      throw AttentionStop{"has keys and values in one tensor"};
    }
    if (rank_of(key_place) != rank_of(value_place))
      throw AttentionStop{"has keys and values of different layouts"};
    refuse(past_length_place, "has a cache that may have room for more keys than it holds");
    refuse(indirection_place, "reorders its cache of keys for a beam search");
    refuse_output(shown_place, "has scores that are read, in a form that is not defined exactly");
    require_heads(shape_of(query_place).back(), heads_);
    if (has(past_key_place) && !has(past_value_place)) throw AttentionStop{"has no earlier values"};
    if (has(past_key_place) && rank_of(past_key_place) != 4) {
      throw AttentionStop{"has earlier keys in another layout"};
    }
  }

  ValueId past(Input input) const { return has(input) ? node_.inputs[input] : ValueId(); }

  SplitHeads keys(std::size_t input) {
    if (rank_of(input) == 4) {
      const auto own = shape_of(input)[1].integer();
      if (own && *own != heads_)
        throw AttentionStop{"has another number of key or value heads than query heads"};
      return apart(node_.inputs[input]);
    }
    require_heads(shape_of(input).back(), heads_);
    const std::int64_t first = has(bias_place) ? width(shape_of(query_place).back()) : 0;
    return split(biased(input, input == key_place ? first : first + keys_width()), heads_);
  }

  std::int64_t keys_width() { return has(bias_place) ? width(shape_of(key_place).back()) : 0; }

  /// An input plus its part of the bias, which begins at `first`.
  ValueId biased(std::size_t input, std::int64_t first) {
    const ValueId value = node_.inputs[input];
    if (!has(bias_place)) return value;
    return add("Add",
               {value, slice(node_.inputs[bias_place], first, width(shape_of(input).back()))});
  }

  /// Throws an AttentionStop if the number of new keys differs from the number of rows, because
  /// implementations then disagree about which keys are later.
  void require_square() const {
    const Expr keys = rank_of(key_place) == 4 ? shape_of(key_place)[2] : shape_of(key_place)[1];
    if (!(keys == shape_of(query_place)[1])) {
      throw AttentionStop{"hides later keys, but has another number of keys than rows"};
    }
  }

  std::int64_t heads_;
};

/// An attention whose node also projects its input to queries, keys and values.
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
    add_bias_of_scores(score_bias_place);
    add_padding(padding_place);
    if (node_.attributes.integer("unidirectional", 0) != 0) hide_later(padding_place, ValueId());
    return std::move(parts_);
  }

 private:
  enum Input : std::size_t {
    source_place,
    weights_place,
    bias_place,
    padding_place,
    past_place,
    score_bias_place,
    past_length_place
  };
  enum Output : std::size_t { present_place = 1 };

  void check() const {
    require_opset();
    if (rank_of(source_place) != 3 || rank_of(weights_place) != 2) {
      throw AttentionStop{"has operands that do not fit together"};
    }
    refuse(past_place, "has a cache of earlier keys");
    refuse(past_length_place, "has a cache of earlier keys");
    refuse_output(present_place, "has a cache that is read");
    if (node_.attributes.integer("do_rotary", 0) != 0) {
      throw AttentionStop{"rotates its queries and keys"};
    }
  }

  std::vector<std::int64_t> widths() const {
    const std::int64_t all = width(shape_of(weights_place).back());
    std::vector<std::int64_t> sizes = node_.attributes.integers("qkv_hidden_sizes");
    if (sizes.empty()) sizes.assign(3, all / 3);
    const bool fits = sizes.size() == 3 && sizes[0] + sizes[1] + sizes[2] == all;
    for (const std::int64_t size : sizes) require_heads(size, heads_);
    if (!fits || sizes[0] != sizes[1])
      throw AttentionStop{"has sizes of queries, keys and values that do not fit its weights"};
    return sizes;
  }

  ValueId projected() {
    TensorType made = graph_.type(node_.inputs[source_place]);
    made.shape->back() = shape_of(weights_place).back();
    const ValueId product = writer_.add(
        "MatMul", {node_.inputs[source_place], node_.inputs[weights_place]}, std::move(made));
    return has(bias_place) ? add("Add", {product, node_.inputs[bias_place]}) : product;
  }

  std::int64_t heads_;
};

}  // namespace

AttentionParts read_multi_head_attention(NodeWriter& writer, NodeId id) {
  return MultiHeadAttention(writer, id).read();
}

AttentionParts read_projecting_attention(NodeWriter& writer, NodeId id) {
  return ProjectingAttention(writer, id).read();
}

}  // namespace stashscope
