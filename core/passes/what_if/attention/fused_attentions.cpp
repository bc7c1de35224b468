#include "core/passes/what_if/attention/fused_attentions.h"

#include <array>

#include "core/ops/attention/attention_shapes.h"
#include "core/ops/rules/backward_builder.h"

namespace stashscope {

namespace {

struct FusedReader {
  std::string_view domain;
  std::string_view type;
  AttentionParts (*read)(NodeWriter&, NodeId, const std::string&);
};

constexpr std::array fused_readers = {
    FusedReader{"", "Attention", read_onnx_attention},
    FusedReader{microsoft_domain, "MultiHeadAttention", read_multi_head_attention},
    FusedReader{microsoft_domain, "GroupQueryAttention", read_group_query_attention},
    FusedReader{microsoft_domain, "Attention", read_projecting_attention},
    FusedReader{"org.pytorch.aten", "ATen", read_aten_attention},
    FusedReader{microsoft_domain, "FusedAttention", read_own_attention},
};

const FusedReader* reader_of(const Node& node) {
  if (node.op_type == "ATen" && !is_aten_attention(node)) return nullptr;
  for (const FusedReader& each : fused_readers) {
    if (each.domain == node.domain && each.type == node.op_type) return &each;
  }
  return nullptr;
}

bool is_own(const Node& node) { return node.op_type == "FusedAttention"; }

std::vector<AttentionStep> steps_of(const Node& node) {
  std::vector<AttentionStep> steps;
  const Strings names = node.attributes.texts("steps");
  std::size_t input = 3;
  for (const ScoreStep& step : read_score_steps(node.attributes)) {
    AttentionStep& made = steps.emplace_back();
    made.type = names[steps.size() - 1];
    for (std::size_t i = 0; i < step.operands; ++i) made.operands.push_back(node.inputs[input++]);
  }
  return steps;
}

AttentionOperand operand_at(const Rewriter& graph, const Node& node, std::size_t input,
                            const char* perm) {
  const Shape* const shape = graph.shape(node.inputs[input]);
  if (shape == nullptr) throw AttentionStop{"has an operand of an unknown shape"};
  return {node.inputs[input], permutation(node.attributes, perm, shape->size())};
}

}  // namespace

std::vector<NodeId> fused_attentions(const Rewriter& graph) {
  std::vector<NodeId> found;
  for (const NodeId id : IdRange<NodeId>(graph.node_count())) {
    if (!graph.is_removed(id) && reader_of(graph.node(id)) != nullptr) found.push_back(id);
  }
  return found;
}

bool choose_form_of_node(NodeWriter& writer, NodeId id, const std::string& form) {
  Rewriter& graph = writer.graph();
  const FusedReader& reader = *reader_of(graph.node(id));
  if (is_own(graph.node(id)) && graph.node(id).attributes.text("form", "flash") == form) {
    return false;
  }
  writer.move_to(id);
  write_attention(writer, reader.read(writer, id, form), form);
  return true;
}

AttentionParts read_own_attention(NodeWriter& writer, NodeId id, const std::string& form) {
  const Rewriter& graph = writer.graph();
  const Node& node = graph.node(id);
  if (!graph.only_first_output_is_read(id)) {
    throw AttentionStop{"has sums that are read, as in a graph with its backward pass"};
  }
  const ElementType element = graph.type(node.inputs[0]).element;
  for (const ValueId other : {node.inputs[1], node.inputs[2]}) {
    if (form.empty() && graph.type(other).element != element) {
      throw AttentionStop{"has values of another type than its queries"};
    }
  }
  AttentionParts parts;
  AttentionBlock& block = parts.block;
  block.softmax = block.last = id;
  block.query = operand_at(graph, node, 0, "query_perm");
  block.key = operand_at(graph, node, 1, "key_perm");
  block.value = operand_at(graph, node, 2, "value_perm");
  block.steps = steps_of(node);
  block.output_perm = node.attributes.integers("output_perm");
  block.dropped_share = double{node.attributes.real("dropout", 0)};
  block.dropout_seed = node.attributes.integer("dropout_seed", 0);
  const AttentionShapes shapes =
      attention_shapes(node.attributes, *graph.shape(node.inputs[0]), *graph.shape(node.inputs[1]),
                       *graph.shape(node.inputs[2]));
  parts.query = shapes.query;
  parts.key = shapes.key;
  parts.value = shapes.value;
  return parts;
}

}  // namespace stashscope
