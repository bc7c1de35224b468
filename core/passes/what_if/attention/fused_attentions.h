#pragma once

#include "core/passes/what_if/attention/attention_nodes.h"

namespace stashscope {

/// The nodes that compute a whole attention.
std::vector<NodeId> fused_attentions(const Rewriter& graph);

/// Gives an attention in one node a form of FusedAttention, or writes it step by step if there is
/// no `form`. Returns whether it had another form before. Throws an AttentionStop if it must keep
/// its form; then only nodes that nothing reads were added.
/// @pre id is one of fused_attentions(graph)
bool choose_form_of_node(NodeWriter& writer, NodeId id, const std::optional<std::string>& form);

// Each of these functions reads a node of one operator, and adds the nodes whose results the
// returned parts read. It throws an AttentionStop if AttentionParts cannot express the node.

/// ONNX, Attention
AttentionParts read_onnx_attention(NodeWriter& writer, NodeId id);
/// ONNX Runtime, MultiHeadAttention
AttentionParts read_multi_head_attention(NodeWriter& writer, NodeId id);
/// ONNX Runtime, GroupQueryAttention
AttentionParts read_group_query_attention(NodeWriter& writer, NodeId id);
/// ONNX Runtime, Attention, which projects its input to queries, keys and values
AttentionParts read_projecting_attention(NodeWriter& writer, NodeId id);
/// PyTorch, the functions scaled_dot_product_attention of ATen
AttentionParts read_aten_attention(NodeWriter& writer, NodeId id);
/// Our own operator FusedAttention
AttentionParts read_own_attention(NodeWriter& writer, NodeId id);

}  // namespace stashscope
