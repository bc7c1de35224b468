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

/// Adds the nodes of a backward pass to a forward graph. Backward nodes keep the order in which
/// they are added. A helper is a Shape node that backward reads. It directly follows the forward
/// node whose output it measures (or the first node, if it measures an input of the graph), so that
/// the measured tensor need not live until backward.
class BackwardBuilder {
 public:
  /// @param forward a graph with inferred shapes; the builder may add optional outputs to its nodes
  explicit BackwardBuilder(GraphData forward);

  Node& forward_node(NodeId id) { return data_.nodes[id]; }
  const Value& value(ValueId id) const { return data_.values[id]; }
  const TensorType& type(ValueId id) const { return data_.values[id].type; }
  std::int64_t opset() const { return data_.opsets.at(""); }

  /// Adds a node to the backward part, unless all outputs are omitted. Returns the node's outputs;
  /// omitted outputs are invalid ids.
  /// @param scope name of the forward node whose gradient the node helps to compute
  /// @param outputs true for each output that the node has, false for an omitted one
  std::vector<ValueId> add(const std::string& scope, std::string_view domain,
                           std::string_view op_type, std::vector<ValueId> inputs,
                           const std::vector<bool>& outputs, Attributes attributes);
  /// Output `index` of a forward node. If the node omits the output, it is added with `type`.
  ValueId forward_output(NodeId node, std::size_t index, TensorType type);

  /// A constant of one axis. Equal constants are added once.
  ValueId int64s(const std::vector<std::int64_t>& items);

  /// A constant without axes. Equal constants are added once.
  ValueId scalar(ElementType element, double item);
  /// The shape of a value as a tensor of one axis: a constant if all dims are numbers, else the
  /// output of a Shape node in the forward part.
  ValueId shape_of(ValueId value);

  /// Drops the declared shapes of all values, because exporters of forward models invent the
  /// dimension names in these shapes.
  void forget_declared_shapes() {
    for (Value& each : data_.values) each.declared_shape.reset();
  }

  /// Sets the type of a new value. This is needed where shape inference cannot derive the type.
  void declare(ValueId id, TensorType type) { data_.values[id].type = std::move(type); }
  void rename(ValueId id, const std::string& name) { data_.values[id].name = unused(name); }
  /// An unused name derived from `name`; reserves it.
  std::string unused(const std::string& name) { return unused_name(name, names_); }

  /// Returns the whole graph: the forward nodes with their helpers, then `between` (the YieldOp),
  /// then the backward nodes. The builder must not be used afterwards.
  GraphData finish(Node between, std::vector<ValueId> outputs);
  /// A new value without a producer, for `between`.
  ValueId new_value(const std::string& name, TensorType type);

 private:
  GraphData data_;
  std::size_t forward_nodes_;
  std::vector<Node> backward_;
  std::multimap<std::size_t, Node>
      helpers_;  // by the index of the forward node that the helper follows
  std::map<std::vector<std::int64_t>, ValueId> int64_constants_;
  std::map<std::pair<ElementType, double>, ValueId> scalars_;
  std::map<ValueId, ValueId> shapes_;
  std::unordered_set<std::string> names_;
  std::map<std::string, std::size_t> next_in_scope_;
};

}  // namespace stashscope
