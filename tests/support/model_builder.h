#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope::test {

/// Builds small models by tensor names: `m.input("x", {"N", 4}); m.node("Relu", {"x"}, {"y"});`.
class ModelBuilder {
 public:
  explicit ModelBuilder(std::int64_t opset = 17) { data_.opsets[""] = opset; }

  /// A dim given as a name or a number.
  struct Dim {
    Dim(const char* symbol) : name(symbol) {}    // NOLINT: reads like a shape
    Dim(std::int64_t number) : value(number) {}  // NOLINT
    Dim(int number) : value(number) {}           // NOLINT
    std::string name;
    std::int64_t value = 0;
  };

  ModelBuilder& input(const std::string& name, const std::vector<Dim>& dims,
                      ElementType element = ElementType::float32) {
    data_.inputs.push_back(value(name));
    declare(name, dims, element);
    return *this;
  }

  ModelBuilder& declare(const std::string& name, const std::vector<Dim>& dims,
                        ElementType element = ElementType::float32) {
    TensorType type{element, Shape(), {}};
    for (const Dim& dim : dims) {
      type.shape->push_back(dim.name.empty() ? Expr(dim.value)
                                             : Expr::symbol(data_.symbols.intern(dim.name)));
    }
    data_.values[value(name)].type = std::move(type);
    return *this;
  }

  /// A float32 initializer; missing numbers are zeros.
  ModelBuilder& weight(const std::string& name, std::vector<std::int64_t> dims,
                       std::vector<float> numbers = {}) {
    numbers.resize(static_cast<std::size_t>(element_count(dims)));
    std::string raw(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
    return constant(name, Tensor(ElementType::float32, std::move(dims), std::move(raw)));
  }

  ModelBuilder& int64s(const std::string& name, const std::vector<std::int64_t>& numbers) {
    return constant(name, Tensor::int64s(numbers));
  }

  ModelBuilder& constant(const std::string& name, Tensor tensor) {
    TensorType type{tensor.element(), Shape(), {}};
    for (const std::int64_t dim : tensor.dims()) type.shape->push_back(dim);
    const ValueId id = value(name);
    data_.values[id].type = std::move(type);
    data_.initializers.push_back({id, std::move(tensor), false});
    return *this;
  }

  /// Empty names are omitted inputs or outputs.
  ModelBuilder& node(const std::string& op_type, const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs, Attributes attributes = {},
                     const std::string& domain = "") {
    Node node;
    node.name = outputs.empty() || outputs[0].empty() ? op_type : "make_" + outputs[0];
    node.op_type = op_type;
    node.domain = domain;
    node.attributes = std::move(attributes);
    for (const auto& name : inputs) node.inputs.push_back(name.empty() ? ValueId() : value(name));
    for (const auto& name : outputs) node.outputs.push_back(name.empty() ? ValueId() : value(name));
    data_.opsets.try_emplace(domain, 1);
    data_.nodes.push_back(std::move(node));
    data_.nodes_in_file = data_.nodes.size();
    return *this;
  }

  ModelBuilder& output(const std::string& name) {
    data_.outputs.push_back(value(name));
    return *this;
  }

  GraphData data() const { return data_; }
  Graph build() const { return Graph(data_); }

 private:
  ValueId value(const std::string& name) {
    const auto [entry, is_new] = ids_.try_emplace(name);
    if (is_new) entry->second = data_.add_value(name, {});
    return entry->second;
  }

  GraphData data_;
  std::map<std::string, ValueId> ids_;
};

/// A perceptron: x[N, 4] -> hidden -> scores -> mean cross entropy with labels[N].
inline ModelBuilder perceptron(std::int64_t hidden = 8, std::int64_t classes = 3) {
  ModelBuilder m;
  m.input("x", {"N", 4}).input("labels", {"N"}, ElementType::int64);
  m.weight("w1", {4, hidden}).weight("b1", {hidden}).weight("w2", {hidden, classes});
  m.node("MatMul", {"x", "w1"}, {"h"});
  m.node("Add", {"h", "b1"}, {"a"});
  m.node("Gelu", {"a"}, {"g"}, {}, "com.microsoft");
  m.node("MatMul", {"g", "w2"}, {"scores"});
  m.node("SoftmaxCrossEntropyLoss", {"scores", "labels"}, {"loss"},
         {{"reduction", std::string("mean")}});
  m.output("loss").output("scores");
  return m;
}

/// Many equal layers of MatMul and Gelu, whose stashed activations dominate the memory.
inline ModelBuilder deep_perceptron(int layers, std::int64_t width = 16) {
  ModelBuilder m;
  m.input("x", {"N", width}).input("labels", {"N"}, ElementType::int64);
  std::string last = "x";
  for (int i = 0; i < layers; ++i) {
    const std::string layer = "layer." + std::to_string(i);
    m.weight(layer + ".w", {width, width});
    m.node("MatMul", {last, layer + ".w"}, {layer + ".h"});
    m.node("Gelu", {layer + ".h"}, {layer + ".g"}, {}, "com.microsoft");
    last = layer + ".g";
  }
  m.node("SoftmaxCrossEntropyLoss", {last, "labels"}, {"loss"});
  return m.output("loss");
}

/// The id of a value that must exist.
inline ValueId id_of(const Graph& graph, const std::string& name) {
  return graph.find_value(name).value();
}

}  // namespace stashscope::test
