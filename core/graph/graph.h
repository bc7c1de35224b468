#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/id.h"
#include "core/graph/attributes.h"
#include "core/graph/node_origin.h"
#include "core/graph/tensor.h"
#include "core/symbolic/expr.h"

namespace stashscope {

using NodeId = Id<struct NodeTag>;
using ValueId = Id<struct ValueTag>;

using Shape = std::vector<Expr>;
struct CapturedStep;
struct MicroBatches;
struct PackedTokens;

struct TensorType {
  ElementType element = ElementType::undefined;
  std::optional<Shape> shape;  ///< nullopt: the rank is unknown
  std::string opaque;          ///< serialized type of a sequence, map or optional; else empty

  friend bool operator==(const TensorType&, const TensorType&) = default;
};

struct Value {
  std::string name;
  TensorType type;
  NodeId producer;  ///< invalid for graph inputs, initializers and captured values
  /// The elements, row-major, of small tensors from which shapes are computed; null when shape
  /// inference does not know them.
  std::shared_ptr<const std::vector<Expr>> contents;
  /// The shape that the model's file declares; a dim that the file leaves open is a fresh symbol.
  /// ONNX Runtime's tables of recompute plans show these shapes. `type` may be more precise.
  std::optional<Shape> declared_shape;
};

struct Node {
  std::string name;
  std::string domain;  ///< "" for ai.onnx
  std::string op_type;
  std::vector<ValueId> inputs;           ///< invalid id: an omitted optional input
  std::vector<ValueId> outputs;          ///< invalid id: an omitted optional output
  std::vector<ValueId> captured_inputs;  ///< outer values that the node's subgraphs read
  Attributes attributes;
  std::string doc_string;
  std::shared_ptr<const NodeOrigin> origin = nullptr;  ///< null: unknown
};

struct Initializer {
  ValueId value;
  Tensor tensor;
  bool is_literal = false;  ///< from a Constant node or a pass; never a parameter
};

/// Two sizes that must be equal, although their equality is not proven.
struct Constraint {
  Expr a;
  Expr b;
  NodeId node;  ///< the node that requires the equality; invalid: the file of a captured step
                ///< or the split into micro-batches requires it
};

/// A size that depends on the data, e.g. the number of nonzero elements of a tensor.
struct DataDependentDim {
  SymbolId symbol;
  std::optional<Expr> at_most;

  friend bool operator==(const DataDependentDim&, const DataDependentDim&) = default;
};

/// The contents of a model as plain data. Passes copy and change the data and build a new Graph.
struct GraphData {
  std::string name;
  IdVector<NodeId, Node> nodes;  ///< in the file's order; a Graph sorts them if necessary
  IdVector<ValueId, Value> values;
  std::vector<ValueId> inputs;  ///< without initializers
  std::vector<ValueId> outputs;
  std::vector<Initializer> initializers;
  std::vector<ValueId> captures;  ///< for a subgraph: the values of outer graphs that it reads
  SymbolTable symbols;
  /// For each dimension name, the expression that replaces the name; nullopt: the name is not
  /// replaced. Shape inference replaces a name by an expression that operators require to be equal,
  /// such as `labels_dim0` by `ids_dim0`. A dimension that the user sets to 0 is replaced by 0.
  IdVector<SymbolId, std::optional<Expr>> unified;
  std::vector<Constraint> constraints;  ///< dimension values must satisfy them
  std::vector<DataDependentDim> data_dependent;
  std::map<std::string, std::int64_t> opsets;  ///< version by domain, "" for ai.onnx
  std::map<std::string, std::string> metadata;
  std::string producer;
  std::int64_t ir_version = 8;
  std::vector<std::string> warnings;                  ///< oddities of the model, for the user
  std::size_t nodes_in_file = 0;                      ///< including Constant nodes
  std::shared_ptr<const CapturedStep> captured;       ///< null: the graph is not a captured step
  std::shared_ptr<const MicroBatches> micro_batches;  ///< null: the graph computes the whole batch
  std::shared_ptr<const PackedTokens> packed_tokens;  ///< null: the graph works on all tokens

  ValueId add_value(std::string value_name, TensorType type);
  /// Adds a literal constant under `value_name`.
  ValueId add_initializer(std::string value_name, Tensor tensor);

  /// The version of a domain's operators; 0 when the domain is not imported.
  std::int64_t opset(const std::string& domain) const;
};

/// The flat structure on which orders, liveness and search work. A node's row of inputs keeps their
/// positions: an omitted input is an invalid id, and captured inputs follow the node's own inputs.
/// Rows of readers and outputs contain valid ids only.
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

/// A model: immutable once built, shared by `shared_ptr<const Graph>`. Each value has one producer
/// or comes from outside, and the nodes are in topological order.
class Graph {
 public:
  /// Checks the structure; sorts the nodes (with a warning) when they are out of order. Throws an
  /// input Error that names the node or tensor when a value lacks a producer or has two, or when
  /// the graph has a cycle.
  explicit Graph(GraphData data);

  const GraphData& data() const { return data_; }
  GraphData take_data() && { return std::move(data_); }
  const Topology& topology() const { return topology_; }
  const SymbolTable& symbols() const { return data_.symbols; }

  const IdVector<NodeId, Node>& nodes() const { return data_.nodes; }
  const IdVector<ValueId, Value>& values() const { return data_.values; }
  const Node& node(NodeId id) const { return data_.nodes[id]; }
  const Value& value(ValueId id) const { return data_.values[id]; }

  bool is_graph_output(ValueId id) const { return is_output_[id]; }
  bool is_graph_input(ValueId id) const { return is_input_[id]; }
  /// Null when the value is not an initializer.
  const Initializer* initializer(ValueId id) const;

  /// Finds the value (node) with a name. The search is linear, which is fast enough for names that
  /// a user typed.
  std::optional<ValueId> find_value(std::string_view name) const;
  std::optional<NodeId> find_node(std::string_view name) const;

  std::int64_t opset(const std::string& domain) const { return data_.opset(domain); }

 private:
  GraphData data_;
  Topology topology_;
  IdVector<ValueId, bool> is_input_;
  IdVector<ValueId, bool> is_output_;
  IdVector<ValueId, std::int32_t> initializer_index_;
};

/// `node 'add0' (Add)`, or `node #7 (Add)` without a name; escaped and of bounded length.
std::string describe(const Node& node, NodeId id);
/// `tensor 'x'`
std::string describe(const Value& value);

/// The product of the dims; nothing when the shape is unknown.
std::optional<Expr> element_count(const TensorType& type);

}  // namespace stashscope
