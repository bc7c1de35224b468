#include "core/passes/what_if/attention/fused_attentions.h"

#include <array>

#include "core/ops/attention/aten_functions.h"
#include "core/ops/rules/backward_builder.h"

namespace stashscope {

namespace {

struct FusedReader {
  std::string_view domain;
  std::string_view type;
  AttentionParts (*read)(NodeWriter&, NodeId);
  /// Whether a node of this operator is an attention; null: each is.
  bool (*is_attention)(const Node&) = nullptr;
};

bool names_attention(const Node& node) {
  return aten_attention_function(node.attributes) != nullptr;
}

constexpr std::array fused_readers = {
    FusedReader{"", "Attention", read_onnx_attention},
    FusedReader{microsoft_domain, "MultiHeadAttention", read_multi_head_attention},
    FusedReader{microsoft_domain, "GroupQueryAttention", read_group_query_attention},
    FusedReader{microsoft_domain, "Attention", read_projecting_attention},
    FusedReader{"org.pytorch.aten", "ATen", read_aten_attention, names_attention},
    FusedReader{microsoft_domain, "FusedAttention", read_own_attention},
};

const FusedReader* reader_of(const Node& node) {
  for (const FusedReader& each : fused_readers) {
    if (each.domain != node.domain || each.type != node.op_type) continue;
    if (each.is_attention == nullptr || each.is_attention(node)) return &each;
  }
  return nullptr;
}

/// Whether the node is our own operator in this form.
bool has_form(const Node& node, const std::optional<std::string>& form) {
  return form && node.domain == microsoft_domain && node.op_type == "FusedAttention" &&
         node.attributes.text("form", "flash") == *form;
}

}  // namespace

std::vector<NodeId> fused_attentions(const Rewriter& graph) {
  std::vector<NodeId> found;
  for (const NodeId id : IdRange<NodeId>(graph.node_count())) {
    if (!graph.is_removed(id) && reader_of(graph.node(id)) != nullptr) found.push_back(id);
  }
  return found;
}

bool choose_form_of_node(NodeWriter& writer, NodeId id, const std::optional<std::string>& form) {
  const Node& node = writer.graph().node(id);
  if (has_form(node, form)) return false;
  const FusedReader& reader = *reader_of(node);
  writer.move_to(id);
  write_attention(writer, reader.read(writer, id), form);
  return true;
}

}  // namespace stashscope
