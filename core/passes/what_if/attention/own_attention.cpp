// Our own operator FusedAttention.

#include "core/ops/attention/attention_shapes.h"
#include "core/passes/what_if/attention/fused_attentions.h"
#include "core/passes/what_if/attention/fused_node.h"

namespace stashscope {

namespace {

class OwnAttention : public FusedNode {
 public:
  OwnAttention(NodeWriter& writer, NodeId id) : FusedNode(writer, id) {}

  AttentionParts read() {
    refuse_further_outputs();
    AttentionBlock& block = parts_.block;
    block.query = operand(0, "query_perm");
    block.key = operand(1, "key_perm");
    block.value = operand(2, "value_perm");
    block.output_perm = node_.attributes.integers("output_perm");
    block.dropped_share = double{node_.attributes.real("dropout", 0)};
    block.dropout_seed = node_.attributes.integer("dropout_seed", 0);
    read_steps();
    AttentionShapes shapes =
        attention_shapes(node_.attributes, shape_of(0), shape_of(1), shape_of(2));
    parts_.query = std::move(shapes.query);
    parts_.key = std::move(shapes.key);
    parts_.value = std::move(shapes.value);
    return std::move(parts_);
  }

 private:
  AttentionOperand operand(std::size_t input, const char* perm) const {
    return {node_.inputs[input], permutation(node_.attributes, perm, rank_of(input))};
  }

  /// The operands of the steps lie behind queries, keys and values.
  void read_steps() {
    for (const ScoreStep& step : read_score_steps(node_.attributes)) {
      const auto first = node_.inputs.begin() + 3 + static_cast<std::ptrdiff_t>(step.first_operand);
      const auto end = first + static_cast<std::ptrdiff_t>(step.operands);
      parts_.block.steps.push_back({std::string(step.name), {first, end}});
    }
  }
};

}  // namespace

AttentionParts read_own_attention(NodeWriter& writer, NodeId id) {
  return OwnAttention(writer, id).read();
}

}  // namespace stashscope
