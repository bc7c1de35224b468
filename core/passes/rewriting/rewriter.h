#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/graph/packed_tokens.h"

namespace stashscope {

/// Whether a node is the operator `type` of ONNX.
inline bool is(const Node& node, std::string_view type) {
  return node.domain.empty() && node.op_type == type;
}

inline bool is_one_of(const Node& node, std::initializer_list<std::string_view> types) {
  return node.domain.empty() && std::ranges::find(types, node.op_type) != types.end();
}

/// A forward graph that a pass changes. Keeps producers, readers and the set of fixed values up to
/// date for matching. Ids stay valid, and remaining values keep their names.
class Rewriter {
 public:
  /// @param graph a forward graph with inferred shapes; it must outlive this object
  /// @param trained the values that training changes, which are never treated as constants
  Rewriter(const Graph& graph, const std::vector<ValueId>& trained);
  Rewriter(Graph&& graph, const std::vector<ValueId>& trained) = delete;

  std::size_t node_count() const { return data_.nodes.size(); }
  const Node& node(NodeId id) const { return data_.nodes[id]; }
  const Value& value(ValueId id) const { return data_.values[id]; }
  const TensorType& type(ValueId id) const { return data_.values[id].type; }
  /// Null when the shape is not known or the id is invalid.
  const Shape* shape(ValueId id) const;
  const std::vector<Initializer>& initializers() const { return data_.initializers; }
  const std::vector<ValueId>& inputs() const { return data_.inputs; }
  const std::vector<ValueId>& outputs() const { return data_.outputs; }
  std::int64_t opset() const;
  const Graph& original() const { return original_; }

  bool is_removed(NodeId id) const { return removed_[id]; }
  /// The producer of a value; invalid if no node computes the value.
  NodeId maker(ValueId id) const { return id.valid() ? data_.values[id].producer : NodeId(); }
  /// The nodes that read a value, without duplicates and without reads by subgraphs.
  const std::vector<NodeId>& readers(ValueId id) const { return readers_[id]; }
  bool is_graph_output(ValueId id) const { return is_output_[id]; }
  /// Whether a value must keep its name: it is a graph output, or a subgraph captures it.
  bool keeps(ValueId id) const { return is_output_[id] || is_captured_[id]; }
  bool is_read(ValueId id) const { return keeps(id) || !readers_[id].empty(); }
  /// Whether nothing reads the second and later outputs of a node. @pre the node has an output
  bool only_first_output_is_read(NodeId id) const;
  /// Whether `reader` is the only reader of the value.
  bool is_only_for(ValueId id, NodeId reader) const;

  /// Whether the value is known to be the same in every training step: it depends on no element
  /// of a graph input or trained weight, no random number, no unknown operator and no subgraph with
  /// captured values.
  bool is_fixed(ValueId id) const { return !varies_[id]; }
  /// The tensor of an initializer that is fixed; null for any other value.
  const Tensor* constant(ValueId id) const;
  /// The elements of a fixed value; null when they are not known.
  const std::vector<Expr>* contents(ValueId id) const;
  /// The elements as integers; nothing when they are not known.
  std::optional<std::vector<std::int64_t>> integers(ValueId id) const;
  /// The single element of a fixed tensor of numbers or truth values; nothing for any other value.
  std::optional<double> scalar(ValueId id) const;

  /// Replaces `last` by `fused`. A name, doc string, origin or outputs that `fused` lacks come from
  /// `last`. Removes nodes that only `last` needed. `fused` may read only values produced before
  /// `last`.
  void replace(NodeId last, Node fused);
  void set_input(NodeId id, std::size_t index, ValueId value);
  /// Makes every reader of `from` read `to`.
  void redirect(ValueId from, ValueId to);
  /// Turns the only output of a node into a constant of the same name.
  void make_constant(ValueId id, Tensor tensor);
  /// Adds a node with one new output directly before or after `place`. Makes the names of the node
  /// and of the output unique.
  ValueId insert_before(NodeId place, Node node, TensorType type);
  ValueId insert_after(NodeId place, Node node, TensorType type);
  /// Adds a literal. Makes its name unique.
  ValueId add_constant(const std::string& name, Tensor tensor);
  /// Makes an initializer a literal, which is never trained; leaves other values alone.
  void freeze(ValueId id);
  void set_type(ValueId id, TensorType type) { data_.values[id].type = std::move(type); }
  /// Appends an output to a node. Makes the name of the output unique.
  ValueId add_output(NodeId id, const std::string& name, TensorType type);
  /// Makes `output`, so far an output of another node, the only output of `maker`. Readers of the
  /// old output of `maker` then read `output`.
  void hand_over(ValueId output, NodeId maker);
  void set_attribute(NodeId id, std::string name, AttributeValue value);
  void set_packed_tokens(PackedTokens packed);
  /// Removes a graph output and the nodes that only it needed.
  void drop_output(ValueId id);

  /// The changed graph without unused nodes and literals. Its shapes must be inferred again.
  Graph finish();

 private:
  void mark_varying(const std::vector<ValueId>& trained);
  void link(NodeId reader, ValueId value);
  void unlink(NodeId reader, ValueId value);
  void forget_read(NodeId reader, ValueId value, std::vector<NodeId>& emptied);
  bool is_needed(NodeId id) const;
  void remove_unread(std::vector<NodeId> candidates);
  NodeId append(Node node, TensorType type);
  ValueId new_value(const std::string& name, TensorType type);
  std::string unique(const std::string& name);
  std::string unique_node(const std::string& name);

  const Graph& original_;
  GraphData data_;
  std::size_t original_nodes_;
  IdVector<NodeId, bool> removed_;
  IdVector<ValueId, std::vector<NodeId>> readers_;
  IdVector<ValueId, bool> is_output_;
  IdVector<ValueId, bool> is_captured_;
  IdVector<ValueId, bool> varies_;
  IdVector<ValueId, std::int32_t> initializer_;  // index of the initializer; -1: none
  /// New nodes by the index of the original node that they precede. `place_` maps each new node to
  /// this index.
  std::map<std::size_t, std::vector<NodeId>> before_;
  std::map<NodeId, std::size_t> place_;
  std::unordered_set<std::string> names_;
  std::unordered_set<std::string> node_names_;
};

}  // namespace stashscope
