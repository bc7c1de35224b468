#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/base/unused_name.h"
#include "core/graph/graph.h"

namespace stashscope {

constexpr std::string_view microsoft_domain = "com.microsoft";

/// Adds nodes to a forward graph while its backward pass is built. Backward nodes are collected in
/// the order they are added; helpers that only need forward values (Shape nodes) are placed right
/// behind the forward node they read from, so that they do not keep a large activation alive.
class BackwardBuilder {
 public:
  /// @param forward inferred; its nodes may be extended by optional outputs
  explicit BackwardBuilder(GraphData forward);

  Node& forward_node(NodeId id) { return data_.nodes[id]; }
  const Value& value(ValueId id) const { return data_.values[id]; }
  const TensorType& type(ValueId id) const { return data_.values[id].type; }
  std::int64_t opset() const { return data_.opsets.at(""); }

  /// Adds a node to the backward part. @param scope name of the forward node it belongs to
  /// @param outputs which outputs it has; the others are left out
  std::vector<ValueId> add(const std::string& scope, std::string_view domain,
                           std::string_view op_type, std::vector<ValueId> inputs,
                           const std::vector<bool>& outputs, Attributes attributes);
  /// The output `index` of a forward node, added with `type` when the node leaves it out.
  ValueId forward_output(NodeId node, std::size_t index, TensorType type);

  /// Equal constants are shared.
  ValueId int64s(const std::vector<std::int64_t>& items);
  ValueId scalar(ElementType element, double item);
  /// One axis: a constant where all dims are numbers, else a Shape node in the forward part.
  ValueId shape_of(ValueId value);

  /// What a forward model declares are names its exporter made up.
  void forget_declared_shapes() {
    for (Value& each : data_.values) each.declared_shape.reset();
  }

  void rename(ValueId id, const std::string& name) { data_.values[id].name = unused(name); }
  /// Taken from now on.
  std::string unused(const std::string& name) { return unused_name(name, names_); }

  /// The whole graph: forward nodes with their helpers, `between` (the YieldOp), backward nodes.
  GraphData finish(Node between, std::vector<ValueId> outputs);
  /// A new value without a maker yet, for `between`.
  ValueId new_value(const std::string& name, TensorType type);

 private:
  GraphData data_;
  std::size_t forward_nodes_;
  std::vector<Node> backward_;
  std::multimap<std::size_t, Node> helpers_;  // by index of the forward node they follow
  std::map<std::vector<std::int64_t>, ValueId> int64_constants_;
  std::map<std::pair<ElementType, double>, ValueId> scalars_;
  std::map<ValueId, ValueId> shapes_;
  std::unordered_set<std::string> names_;
  std::map<std::string, std::size_t> next_in_scope_;
};

}  // namespace stashscope
