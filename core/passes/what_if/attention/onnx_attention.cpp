// The operator Attention of ONNX, opset 23 and later.

#include <limits>

#include "core/passes/what_if/attention/fused_attentions.h"
#include "core/passes/what_if/attention/fused_node.h"

namespace stashscope {

namespace {

/// Inputs of the operator.
constexpr std::size_t mask_place = 3;
constexpr std::size_t past_place = 4;  // of keys; values follow
constexpr std::size_t lengths_place = 6;
/// Outputs of the operator.
constexpr std::size_t present_place = 1;  // of keys; values follow
constexpr std::size_t shown_place = 3;

/// The output with scores gets the scores after one of these stages. (qk_matmul_output_mode)
enum class ShownStage : std::int64_t { products, capped, biased, probabilities };

class OnnxAttention : public FusedNode {
 public:
  OnnxAttention(NodeWriter& writer, NodeId id) : FusedNode(writer, id) {}

  AttentionParts read() {
    check();
    take({operand(0, "q_num_heads"), cached(1), cached(2)}, !has_heads_apart());
    const bool has_scale = node_.attributes.has("scale");
    add_scale(has_scale ? std::optional(double{node_.attributes.real("scale", 0)}) : std::nullopt);
    mark(ShownStage::products);
    add_soft_cap(double{node_.attributes.real("softcap", 0)});
    mark(ShownStage::capped);
    ScoreMask hidden = mask();
    hidden.is_added = chosen_stage() == ShownStage::biased && wanted(shown_place).valid();
    add_mask(writer_, hidden, parts_);
    mark(ShownStage::biased);
    guard_hidden_rows(writer_, hidden, parts_);
    mark(ShownStage::probabilities);
    read_precision();
    parts_.may_take_transposition = has_heads_apart();
    return std::move(parts_);
  }

 private:
  void check() const {
    for (const char* const side : {"left_window_size", "right_window_size"}) {
      if (node_.attributes.integer(side, -1) >= 0) throw AttentionStop{"looks at a window of keys"};
    }
    if (graph_.type(node_.inputs[0]).element != graph_.type(node_.inputs[2]).element) {
      throw AttentionStop{"has values of another type than its queries"};
    }
    if (has(past_place) && has(lengths_place)) {
      throw AttentionStop{"has earlier keys and numbers of keys at once"};
    }
    for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
      if (has(i)) shape_of(i);
    }
  }

  void read_precision() {
    if (!node_.attributes.has("softmax_precision")) return;
    const std::int64_t given = node_.attributes.integer("softmax_precision", 0);
    for (const ElementType each : {ElementType::float16, ElementType::bfloat16,
                                   ElementType::float32, ElementType::float64}) {
      if (static_cast<std::int64_t>(each) == given) parts_.softmax_element = each;
    }
    if (parts_.softmax_element == ElementType::undefined) {
      throw AttentionStop{"has a softmax_precision that is no type of floating-point numbers"};
    }
  }

  bool has_heads_apart() const { return rank_of(0) == 4; }

  SplitHeads operand(std::size_t input, const char* heads) {
    if (has_heads_apart()) return apart(node_.inputs[input]);
    return split(node_.inputs[input], node_.attributes.require_integer(heads));
  }

  /// Keys (input 1) or values (input 2) of this and earlier calls.
  SplitHeads cached(std::size_t input) {
    const bool has_past = has(past_place);
    return with_cache(operand(input, "kv_num_heads"),
                      has_past ? node_.inputs[past_place + input - 1] : ValueId(),
                      wanted(present_place + input - 1));
  }

  ShownStage chosen_stage() const {
    return static_cast<ShownStage>(node_.attributes.integer("qk_matmul_output_mode", 0));
  }

  /// Notes the number of steps so far if the output with scores gets the scores after this stage.
  void mark(ShownStage stage) {
    if (stage != chosen_stage()) return;
    parts_.shown = wanted(shown_place);
    parts_.shown_steps = parts_.block.steps.size() + (stage == ShownStage::probabilities ? 1 : 0);
  }

  ScoreMask mask() {
    ScoreMask mask;
    const ValueId counts = key_counts();
    if (node_.attributes.integer("is_causal", 0) != 0) {
      mask.visible = earlier_keys(writer_, size(), offset(counts));
    }
    if (counts.valid()) {
      mask.visible = both_visible(writer_, mask.visible, first_keys(writer_, size(), counts));
    }
    mask.may_hide_rows = counts.valid() || has(mask_place);
    if (has(mask_place)) take_given_mask(mask);
    return mask;
  }

  /// The numbers of keys of the samples, [batch, 1, 1, 1].
  ValueId key_counts() {
    if (!has(lengths_place)) return {};
    return writer_.reshape(node_.inputs[lengths_place], {-1, 1, 1, 1});
  }

  /// The number of keys before the position of the first query; invalid: 0.
  ValueId offset(ValueId counts) {
    if (has(past_place)) return writer_.length(node_.inputs[past_place], 2);
    if (!counts.valid()) return {};
    return writer_.add("Sub", {counts, size().rows}, {ElementType::int64, {}, {}});
  }

  void take_given_mask(ScoreMask& mask) {
    require_mask_type(node_.inputs[mask_place]);
    const ValueId given = padded(node_.inputs[mask_place]);
    if (graph_.type(given).element == ElementType::boolean) {
      mask.visible = both_visible(writer_, mask.visible, given);
    } else {
      mask.bias = given;
    }
  }

  /// The mask, extended to all keys: keys that it does not cover are hidden.
  ValueId padded(ValueId mask) {
    const Shape shape = shape_of(mask_place);
    const Expr keys = parts_.key[2];
    if (shape.back() == keys) return mask;
    // The specification allows two readings: the mask broadcasts to all keys, or it covers only the
    // first key.
    if (shape.back().is(1)) throw AttentionStop{"has a mask with one number for several keys"};
    const auto missing = (keys - shape.back()).integer();
    if (!missing || *missing < 0) {
      throw AttentionStop{"has a mask whose number of keys is not known to fit"};
    }
    const ElementType element = graph_.type(mask).element;
    const ValueId hidden = element == ElementType::boolean
                               ? writer_.flag(false)
                               : writer_.number(element, -std::numeric_limits<double>::infinity());
    std::vector<std::int64_t> pads(2 * shape.size(), 0);
    pads.back() = *missing;
    return writer_.add("Pad", {mask, writer_.integers(pads), hidden}, {element, {}, {}});
  }
};

}  // namespace

AttentionParts read_onnx_attention(NodeWriter& writer, NodeId id) {
  return OnnxAttention(writer, id).read();
}

}  // namespace stashscope
