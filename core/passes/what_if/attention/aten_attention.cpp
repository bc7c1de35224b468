// PyTorch's scaled_dot_product_attention, as exports for training keep it: nodes ATen whose
// attribute names the function. (org.pytorch.aten; native_functions.yaml)

#include <array>

#include "core/graph/dataflow.h"
#include "core/passes/what_if/attention/fused_attentions.h"
#include "core/passes/what_if/attention/fused_node.h"

namespace stashscope {

namespace {

constexpr std::size_t not_there = 64;

/// The places of the operands behind queries, keys and values.
struct AtenFunction {
  std::string_view name;
  std::size_t mask;
  std::size_t dropout;
  std::size_t causal;
  std::size_t scale;
};

constexpr std::array aten_functions = {
    AtenFunction{"scaled_dot_product_attention", 3, 4, 5, 6},
    AtenFunction{"_scaled_dot_product_efficient_attention", 3, 5, 6, 7},
    AtenFunction{"_scaled_dot_product_flash_attention", not_there, 3, 4, 6},
    AtenFunction{"_scaled_dot_product_cudnn_attention", 3, 5, 6, 8},
};

const AtenFunction* function_of(const Node& node) {
  const std::string name = node.attributes.text("operator", "");
  for (const AtenFunction& each : aten_functions) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

class AtenAttention : public FusedNode {
 public:
  AtenAttention(NodeWriter& writer, NodeId id)
      : FusedNode(writer, id), function_(*function_of(node_)) {}

  AttentionParts read(bool is_plain) {
    check();
    take({apart(node_.inputs[0]), apart(node_.inputs[1]), apart(node_.inputs[2])}, false);
    read_dropout();
    add_scale(scale());
    const ScoreMask hidden = mask();
    add_mask(writer_, hidden, parts_);
    guard_hidden_rows(writer_, hidden, parts_);
    if (!is_plain && !parts_.visible_rows.valid()) take_transposition(graph_, parts_.block);
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
    if (!graph_.only_first_output_is_read(parts_.block.last)) {
      throw AttentionStop{"has sums that are read, as in a graph with its backward pass"};
    }
  }

  /// A number that the model fixes. @param otherwise of an operand that is left out
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
    if (share < 0 || share >= 1) throw AttentionStop{"drops all probabilities"};
    parts_.block.dropped_share = share;
    parts_.block.dropout_seed = seed_for(graph_.value(node_.outputs[0]).name);
  }

  ScoreMask mask() {
    ScoreMask mask;
    if (number(function_.causal, 0, "may hide later keys, which is not known") != 0) {
      mask.visible = earlier_keys(writer_, size(), ValueId());
    }
    if (!has(function_.mask)) return mask;
    const ValueId given = node_.inputs[function_.mask];
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

  const AtenFunction& function_;
};

}  // namespace

bool is_aten_attention(const Node& node) {
  return node.domain == "org.pytorch.aten" && node.op_type == "ATen" &&
         function_of(node) != nullptr;
}

AttentionParts read_aten_attention(NodeWriter& writer, NodeId id, const std::string& form) {
  return AtenAttention(writer, id).read(form.empty());
}

}  // namespace stashscope
