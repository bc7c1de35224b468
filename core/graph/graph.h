#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/id.h"
#include "core/graph/attributes.h"
#include "core/graph/tensor.h"
#include "core/symbolic/expr.h"

namespace stashscope {

using NodeId = Id<struct NodeTag>;
using ValueId = Id<struct ValueTag>;

using Shape = std::vector<Expr>;

struct TensorType {
  ElementType element = ElementType::undefined;
  std::optional<Shape> shape;  ///< empty: even the rank is unknown
  std::string opaque;          ///< serialized type of a sequence, map or optional; else empty

  friend bool operator==(const TensorType&, const TensorType&) = default;
};

struct Value {
  std::string name;
  TensorType type;
  NodeId producer;  ///< invalid for graph inputs, initializers and captured values
  /// The elements, row-major, where shape inference knows them: small integer (or boolean, or
  /// number) tensors that shapes are computed from. Else null.
  std::shared_ptr<const std::vector<Expr>> contents;
  /// The shape that a training graph's file declares, as the tool that wrote it knew it (dims it
  /// did not know are unnamed symbols). The reference's tables speak of these; `type` may know
  /// more.
  std::optional<Shape> declared_shape;
};

struct Node {
  std::string name;
  std::string domain;  ///< "" for ai.onnx
  std::string op_type;
  std::vector<ValueId> inputs;           ///< invalid id: an optional input that is left out
  std::vector<ValueId> outputs;          ///< invalid id: an optional output that is left out
  std::vector<ValueId> captured_inputs;  ///< outer values that the node's subgraphs read
  Attributes attributes;
  std::string doc_string;
};

struct Initializer {
  ValueId value;
  Tensor tensor;
  bool is_literal = false;  ///< written as a Constant node: never a parameter
};

/// Two sizes that a node needs to be equal but that cannot be proven to be.
struct Constraint {
  Expr a;
  Expr b;
  NodeId node;
};

/// A size that only the data tells, as how many elements of a tensor are not zero.
struct DataDependentDim {
  SymbolId symbol;
  std::optional<Expr> at_most;

  friend bool operator==(const DataDependentDim&, const DataDependentDim&) = default;
};

/// Everything a model says, as plain data that passes copy, change and build into a new Graph.
struct GraphData {
  std::string name;
  IdVector<NodeId, Node> nodes;  ///< in execution order as the file gives it
  IdVector<ValueId, Value> values;
  std::vector<ValueId> inputs;  ///< without those that are initializers
  std::vector<ValueId> outputs;
  std::vector<Initializer> initializers;
  std::vector<ValueId> captures;  ///< subgraphs: values of an outer graph, by name
  SymbolTable symbols;
  /// Dimension names that shape inference found to be something else: `labels_dim0` is `ids_dim0`.
  IdVector<SymbolId, std::optional<Expr>> unified;
  std::vector<Constraint> constraints;  ///< what dimension values must satisfy
  std::vector<DataDependentDim> data_dependent;
  std::map<std::string, std::int64_t> opsets;  ///< version by domain, "" for ai.onnx
  std::map<std::string, std::string> metadata;
  std::string producer;
  std::int64_t ir_version = 8;
  std::vector<std::string> warnings;  ///< what was odd about the model, for the user
  std::size_t nodes_in_file = 0;      ///< constants included

  ValueId add_value(std::string value_name, TensorType type);
  /// Adds a literal constant under `value_name`.
  ValueId add_initializer(std::string value_name, Tensor tensor);
};

/// The flat structure that orders, liveness and search work on. Inputs keep their position
/// (left-out ones are invalid ids, captured ones follow); readers and outputs hold valid ids only.
struct Topology {
  IdRows<NodeId, ValueId> inputs;
  IdRows<NodeId, ValueId> outputs;
  IdVector<ValueId, NodeId> producer;
  IdRows<ValueId, NodeId> readers;  ///< each reader once, ascending

  std::size_t nodes() const { return inputs.size(); }
  std::size_t values() const { return producer.size(); }

  /// Fills `producer` and `readers` from `inputs` and `outputs`.
  void connect(std::size_t value_count);
};

/// A model: immutable once built, valid (every value has one maker, nodes are in topological
/// order), shared by `shared_ptr<const Graph>`.
class Graph {
 public:
  /// Checks the structure; sorts the nodes (with a warning) when they are out of order. Throws an
  /// input Error that names the node or tensor: no maker, two makers, a cycle.
  explicit Graph(GraphData data);

  const GraphData& data() const { return data_; }
  const Topology& topology() const { return topology_; }
  const SymbolTable& symbols() const { return data_.symbols; }

  const IdVector<NodeId, Node>& nodes() const { return data_.nodes; }
  const IdVector<ValueId, Value>& values() const { return data_.values; }
  const Node& node(NodeId id) const { return data_.nodes[id]; }
  const Value& value(ValueId id) const { return data_.values[id]; }

  bool is_graph_output(ValueId id) const { return is_output_[id]; }
  bool is_graph_input(ValueId id) const { return is_input_[id]; }
  /// Null when the value is no initializer.
  const Initializer* initializer(ValueId id) const;

  /// Slow (a scan); for names that a user typed.
  std::optional<ValueId> find_value(std::string_view name) const;
  std::optional<NodeId> find_node(std::string_view name) const;

  /// 0 when the domain is not imported.
  std::int64_t opset(const std::string& domain) const;

 private:
  GraphData data_;
  Topology topology_;
  IdVector<ValueId, bool> is_input_;
  IdVector<ValueId, bool> is_output_;
  IdVector<ValueId, std::int32_t> initializer_index_;
};

/// `node 'add0' (Add)`, or by position when it has no name; escaped and of bounded length.
std::string describe(const Node& node, NodeId id);
/// `tensor 'x'`
std::string describe(const Value& value);

/// Product of the dims; nothing when the shape is unknown.
std::optional<Expr> element_count(const TensorType& type);

}  // namespace stashscope
