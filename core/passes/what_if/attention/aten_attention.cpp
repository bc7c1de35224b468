// The functions scaled_dot_product_attention of PyTorch. Exports for training keep each call as a
// node ATen with an attribute that names the function. (org.pytorch.aten; native_functions.yaml)

#include "core/graph/dataflow.h"
#include "core/ops/attention/aten_functions.h"
#include "core/passes/what_if/attention/fused_attentions.h"
#include "core/passes/what_if/attention/fused_node.h"

namespace stashscope {

namespace {

class AtenAttention : public FusedNode {
 public:
  AtenAttention(NodeWriter& writer, NodeId id)
      : FusedNode(writer, id), function_(*aten_attention_function(node_.attributes)) {}

  AttentionParts read() {
    check();
    take({apart(node_.inputs[0]), apart(node_.inputs[1]), apart(node_.inputs[2])}, false);
    read_dropout();
    add_scale(scale());
    const ScoreMask hidden = mask();
    add_mask(writer_, hidden, parts_);
    guard_hidden_rows(writer_, hidden, parts_);
    parts_.may_take_transposition = true;
    return std::move(parts_);
  }

 private:
  void check() const {
    if (node_.inputs.size() < 3) throw AttentionStop{"lacks queries, keys or values"};
    for (std::size_t i = 0; i < 3; ++i) {
      if (shape_of(i).size() < 3) throw AttentionStop{"has operands without an axis of heads"};
      if (shape_of(i).size() != rank_of(0)) throw AttentionStop{"has operands of different ranks"};
      if (graph_.type(node_.inputs[i]).element != graph_.type(node_.inputs[0]).element) {
        throw AttentionStop{"has operands of different types"};
      }
    }
    refuse_further_outputs();
  }

  /// The number that an operand has in every step. Throws an AttentionStop with the reason
  /// `unknown` if the number is not known.
  /// @param otherwise the number if the operand is left out
  double number(std::size_t input, double otherwise, const char* unknown) const {
    if (!has(input)) return otherwise;
    ValueId value = node_.inputs[input];
    for (NodeId maker = graph_.maker(value); maker.valid(); maker = graph_.maker(value)) {
      if (!is(graph_.node(maker), "Cast") && !is(graph_.node(maker), "Identity")) break;
      value = graph_.node(maker).inputs[0];
    }
    const auto known = graph_.scalar(value);
    if (!known) throw AttentionStop{unknown};
    return *known;
  }

  std::optional<double> scale() const {
    if (!has(function_.scale)) return std::nullopt;
    return number(function_.scale, 0, "has a scale that is not known before the run");
  }

  void read_dropout() {
    const double share =
        number(function_.dropout, 0, "drops a share that is not known before the run");
    if (!(share >= 0 && share < 1)) {
      throw AttentionStop{"has a dropout_p below 0, or of 1 and more"};
    }
    parts_.block.dropped_share = share;
    parts_.block.dropout_seed = seed_for(graph_.value(node_.outputs[0]).name);
  }

  ScoreMask mask() {
    ScoreMask mask;
    if (number(function_.causal, 0, "has an is_causal that is not known before the run") != 0) {
      mask.visible = earlier_keys(writer_, size(), ValueId());
    }
    if (!function_.mask || !has(*function_.mask)) return mask;
    const ValueId given = node_.inputs[*function_.mask];
    if (graph_.shape(given) == nullptr) throw AttentionStop{"has a mask of an unknown shape"};
    require_mask_type(given);
    mask.may_hide_rows = true;
    if (graph_.type(given).element == ElementType::boolean) {
      mask.visible = both_visible(writer_, mask.visible, given);
    } else {
      mask.bias = given;
    }
    return mask;
  }

  const AtenAttentionFunction& function_;
};

}  // namespace

AttentionParts read_aten_attention(NodeWriter& writer, NodeId id) {
  return AtenAttention(writer, id).read();
}

}  // namespace stashscope
