// Converts the protobuf of a model to a Graph.

#include <google/protobuf/io/coded_stream.h>
#include <onnx/onnx_pb.h>

#include <limits>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/onnx/captured_step_reader.h"
#include "core/onnx/functions.h"
#include "core/onnx/model_file.h"
#include "core/onnx/node_metadata.h"
#include "core/onnx/opsets.h"
#include "core/onnx/sparse_tensor.h"
#include "core/onnx/tensor_proto.h"

namespace stashscope {

namespace {

namespace fs = std::filesystem;

/// No exporter nests subgraphs deeper; protobuf itself stops at about 100 nested messages.
constexpr int max_subgraph_depth = 24;

std::string tensor_place(const std::string& name) { return "tensor '" + printable(name) + "'"; }

/// Converts one (sub)graph. Each graph has its own scope of names; a name that an inner graph does
/// not define is looked up in the enclosing graphs and becomes a captured value.
class GraphReader {
 public:
  GraphReader(const fs::path& folder, const GraphReader* outer, int depth)
      : folder_(folder), outer_(outer), depth_(depth) {
    if (outer != nullptr) {
      data_.opsets = outer->data_.opsets;
      data_.symbols = outer->data_.symbols;
    }
  }

  GraphData read(onnx::GraphProto& proto) {
    data_.name = proto.name();
    read_inputs(proto);
    for (auto& tensor : *proto.mutable_initializer()) read_initializer(tensor);
    for (auto& tensor : *proto.mutable_sparse_initializer()) read_sparse_initializer(tensor);
    read_nodes(proto);
    read_outputs(proto);
    for (const auto& info : proto.value_info()) declare_type(info);
    return std::move(data_);
  }

  void set_opsets(std::map<std::string, std::int64_t> opsets) { data_.opsets = std::move(opsets); }
  std::vector<std::string>& warnings() { return data_.warnings; }

 private:
  void read_inputs(const onnx::GraphProto& proto) {
    std::unordered_map<std::string, bool> is_initializer;
    for (const auto& tensor : proto.initializer()) is_initializer[tensor.name()] = true;
    for (const auto& tensor : proto.sparse_initializer()) {
      is_initializer[tensor.values().name()] = true;
    }
    for (const auto& info : proto.input()) {
      if (is_initializer.contains(info.name())) continue;  // a parameter with a default value
      if (ids_.contains(info.name())) {
        fail_input(tensor_place(info.name()), "is listed twice as a graph input");
      }
      data_.inputs.push_back(define(info.name()));
      declare_type(info);
    }
  }

  void check_initializer(const std::string& name) const {
    if (name.empty()) fail_input("", "an initializer has no name");
    if (ids_.contains(name)) fail_input(tensor_place(name), "is listed twice as an initializer");
  }

  void read_initializer(onnx::TensorProto& proto) {
    const std::string name = proto.name();
    check_initializer(name);
    add_constant(name, proto, false);
  }

  void read_sparse_initializer(onnx::SparseTensorProto& proto) {
    const std::string name = proto.values().name();
    check_initializer(name);
    try {
      define_constant(name, read_sparse_tensor(proto, folder_, sparse_bytes_left_, data_.warnings),
                      false);
    } catch (const Error& error) {
      throw error.within(tensor_place(name));
    }
  }

  void add_constant(const std::string& name, onnx::TensorProto& proto, bool is_literal) {
    try {
      proto.set_name(name);
      define_constant(name, read_tensor(proto, folder_, data_.warnings), is_literal);
    } catch (const Error& error) {
      throw error.within(tensor_place(name));
    }
  }

  void define_constant(const std::string& name, Tensor tensor, bool is_literal = true) {
    const ValueId id = define(name);
    TensorType type{tensor.element(), Shape(), {}};
    for (const std::int64_t dim : tensor.dims()) type.shape->push_back(dim);
    data_.values[id].type = std::move(type);
    data_.initializers.push_back({id, std::move(tensor), is_literal});
  }

  void read_nodes(onnx::GraphProto& proto) {
    data_.nodes_in_file = static_cast<std::size_t>(proto.node_size());
    // Constants come first, because a node may precede its constant in an unsorted file.
    for (auto& node : *proto.mutable_node()) {
      if (is_constant(node)) read_constant(node);
    }
    data_.nodes.reserve(data_.nodes_in_file);
    for (auto& node : *proto.mutable_node()) {
      if (!is_constant(node)) read_node(node);
    }
  }

  static bool is_constant(const onnx::NodeProto& node) {
    return node.op_type() == "Constant" && (node.domain().empty() || node.domain() == "ai.onnx");
  }

  void read_constant(onnx::NodeProto& proto) {
    const std::string place = "node '" + printable(proto.name()) + "' (Constant)";
    if (proto.output_size() != 1) fail_input(place, "must have one output");
    const std::string name = proto.output(0);
    if (ids_.contains(name))
      fail_input(tensor_place(name), "has two producers; one of them is " + place);
    for (auto& attribute : *proto.mutable_attribute()) {
      if (attribute.name() == "value") return add_constant(name, *attribute.mutable_t(), true);
      if (attribute.name() == "value_int") {
        return define_constant(name, Tensor::int64_scalar(attribute.i()));
      }
      if (attribute.name() == "value_ints") {
        return define_constant(name,
                               Tensor::int64s({attribute.ints().begin(), attribute.ints().end()}));
      }
      if (attribute.name() == "value_float") {
        return define_constant(name, Tensor::float_scalar(ElementType::float32, attribute.f()));
      }
      if (attribute.name() == "value_floats") return define_constant(name, floats(attribute));
      if (attribute.name() == "value_string") {
        return define_constant(name, Tensor::strings({}, {attribute.s()}));
      }
      if (attribute.name() == "value_strings") {
        return define_constant(
            name, Tensor::strings({attribute.strings_size()},
                                  {attribute.strings().begin(), attribute.strings().end()}));
      }
    }
    fail_input(place, "has no supported value", "store the constant as a dense tensor");
  }

  static Tensor floats(const onnx::AttributeProto& attribute) {
    std::string raw(reinterpret_cast<const char*>(attribute.floats().data()),
                    static_cast<std::size_t>(attribute.floats_size()) * sizeof(float));
    return {ElementType::float32, {attribute.floats_size()}, std::move(raw)};
  }

  void read_node(onnx::NodeProto& proto) {
    Node node;
    node.name = proto.name();
    node.domain = proto.domain() == "ai.onnx" ? "" : proto.domain();
    node.op_type = proto.op_type();
    node.doc_string = proto.doc_string();
    node.origin = read_origin(proto);
    const NodeId id(data_.nodes.size());
    for (const std::string& name : proto.input()) {
      node.inputs.push_back(name.empty() ? ValueId() : reference(name));
    }
    check_distinct(proto, node, id);
    for (const std::string& name : proto.output()) {
      node.outputs.push_back(name.empty() ? ValueId() : reference(name));
    }
    try {
      for (auto& attribute : *proto.mutable_attribute()) {
        node.attributes.set(attribute.name(), read_attribute(attribute, node));
      }
    } catch (const Error& error) {
      throw error.within(describe(node, id));
    }
    note_domain(node);
    data_.nodes.push_back(std::move(node));
  }

  static void check_distinct(const onnx::NodeProto& proto, const Node& node, NodeId id) {
    if (proto.output_size() < 2) return;
    std::unordered_map<std::string, bool> seen;
    for (const std::string& name : proto.output()) {
      if (!name.empty() && !seen.try_emplace(name, true).second) {
        fail_input(describe(node, id), "lists its output '" + printable(name) + "' twice");
      }
    }
  }

  void note_domain(const Node& node) {
    if (data_.opsets.contains(node.domain)) return;
    data_.opsets[node.domain] = 1;
    data_.warnings.push_back("domain '" + printable(node.domain) +
                             "' is used but not imported; version 1 is assumed");
  }

  AttributeValue read_attribute(onnx::AttributeProto& proto, Node& node) {
    switch (attribute_type(proto)) {
      case onnx::AttributeProto::INT:
        return proto.i();
      case onnx::AttributeProto::FLOAT:
        return proto.f();
      case onnx::AttributeProto::STRING:
        return proto.s();
      case onnx::AttributeProto::INTS:
        return Integers(proto.ints().begin(), proto.ints().end());
      case onnx::AttributeProto::FLOATS:
        return Floats(proto.floats().begin(), proto.floats().end());
      case onnx::AttributeProto::STRINGS:
        return Strings(proto.strings().begin(), proto.strings().end());
      case onnx::AttributeProto::TENSOR:
        return read_tensor(*proto.mutable_t(), folder_, data_.warnings);
      case onnx::AttributeProto::GRAPH:
        return read_subgraph(*proto.mutable_g(), node);
      default:
        return OpaqueAttribute{proto.SerializeAsString()};
    }
  }

  /// IR version 1 has no type field: the field that holds the value tells the type. (onnx.proto)
  static onnx::AttributeProto::AttributeType attribute_type(const onnx::AttributeProto& proto) {
    if (proto.type() != onnx::AttributeProto::UNDEFINED) return proto.type();
    if (proto.has_i()) return onnx::AttributeProto::INT;
    if (proto.has_f()) return onnx::AttributeProto::FLOAT;
    if (proto.has_s()) return onnx::AttributeProto::STRING;
    if (proto.has_t()) return onnx::AttributeProto::TENSOR;
    if (proto.has_g()) return onnx::AttributeProto::GRAPH;
    if (proto.floats_size() > 0) return onnx::AttributeProto::FLOATS;
    if (proto.strings_size() > 0) return onnx::AttributeProto::STRINGS;
    return onnx::AttributeProto::INTS;
  }

  Subgraph read_subgraph(onnx::GraphProto& proto, Node& node) {
    if (depth_ >= max_subgraph_depth) fail_input("", "its subgraphs are nested too deeply");
    GraphReader reader(folder_, this, depth_ + 1);
    GraphData inner = reader.read(proto);
    for (std::string& warning : inner.warnings) data_.warnings.push_back(std::move(warning));
    inner.warnings.clear();
    for (const ValueId capture : inner.captures) {
      const ValueId outside = reference(inner.values[capture].name);
      inner.values[capture].type = data_.values[outside].type;
      if (std::find(node.captured_inputs.begin(), node.captured_inputs.end(), outside) ==
          node.captured_inputs.end()) {
        node.captured_inputs.push_back(outside);
      }
    }
    return std::make_shared<const Graph>(std::move(inner));
  }

  void read_outputs(const onnx::GraphProto& proto) {
    for (const auto& info : proto.output()) {
      data_.outputs.push_back(reference(info.name()));
      declare_type(info);
    }
    if (depth_ > 0) capture_missing();
  }

  /// In a subgraph, a value without a producer must come from an enclosing graph.
  void capture_missing() {
    IdVector<ValueId, bool> made(data_.values.size(), false);
    for (const ValueId id : data_.inputs) made[id] = true;
    for (const Initializer& initializer : data_.initializers) made[initializer.value] = true;
    for (const Node& node : data_.nodes) {
      for (const ValueId output : node.outputs) {
        if (output.valid()) made[output] = true;
      }
    }
    for (const ValueId id : IdRange<ValueId>(data_.values.size())) {
      const std::string& name = data_.values[id].name;
      if (made[id]) continue;
      if (!outer_->knows(name)) {
        fail_input(
            "", "its subgraph reads " + tensor_place(name) + ", which no enclosing graph provides");
      }
      data_.captures.push_back(id);
    }
  }

  bool knows(const std::string& name) const {
    return ids_.contains(name) || (outer_ != nullptr && outer_->knows(name));
  }

  void declare_type(const onnx::ValueInfoProto& info) {
    const auto found = ids_.find(info.name());
    if (found == ids_.end()) return;  // a value that a graph optimizer removed
    Value& value = data_.values[found->second];
    const bool is_known = value.type.element != ElementType::undefined && value.type.shape;
    if (is_known || !info.has_type()) return;
    value.type = read_type(info);
    value.declared_shape = value.type.shape;
  }

  TensorType read_type(const onnx::ValueInfoProto& info) {
    TensorType type;
    if (!info.type().has_tensor_type()) {
      type.opaque = info.type().SerializeAsString();
      return type;
    }
    const auto& tensor = info.type().tensor_type();
    if (is_known_element_type(tensor.elem_type())) {
      type.element = static_cast<ElementType>(tensor.elem_type());
    }
    if (!tensor.has_shape()) return type;
    type.shape.emplace();
    for (const auto& dim : tensor.shape().dim()) type.shape->push_back(read_dim(dim, info.name()));
    return type;
  }

  Expr read_dim(const onnx::TensorShapeProto::Dimension& dim, const std::string& tensor) {
    if (dim.has_dim_value() && dim.dim_value() >= 0) return dim.dim_value();
    if (dim.has_dim_value()) {
      data_.warnings.push_back(tensor_place(tensor) + ": dimension " +
                               std::to_string(dim.dim_value()) +
                               " is negative and taken as unknown");
    }
    if (!dim.has_dim_param() || dim.dim_param().empty()) return Expr::symbol(data_.symbols.fresh());
    if (const auto expr = parse_expr(dim.dim_param(), data_.symbols)) return *expr;
    return Expr::symbol(data_.symbols.intern(dim.dim_param()));
  }

  ValueId define(const std::string& name) {
    const ValueId id = data_.add_value(name, {});
    ids_.emplace(name, id);
    return id;
  }

  ValueId reference(const std::string& name) {
    const auto found = ids_.find(name);
    return found != ids_.end() ? found->second : define(name);
  }

  const fs::path& folder_;
  const GraphReader* outer_;
  int depth_;
  std::int64_t sparse_bytes_left_ = most_dense_bytes;
  GraphData data_;
  std::unordered_map<std::string, ValueId> ids_;
};

/// The error text for a file that is clearly not a model, such as an image; else empty.
std::string looks_like(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                              std::min<std::size_t>(bytes.size(), 256));
  if (text.starts_with("version https://git-lfs")) {
    return "is a Git LFS pointer, not the model itself; fetch the real file with `git lfs pull`";
  }
  if (text.starts_with("\x89PNG")) return "is a PNG image, not an ONNX model";
  if (text.starts_with("PK\x03\x04")) return "is a zip archive, not an ONNX model; unpack it first";
  if (text.find("<html") != text.npos || text.find("<!DOCTYPE") != text.npos) {
    return "is a web page, not an ONNX model; the download probably failed";
  }
  return "";
}

onnx::ModelProto parse_model(const fs::path& path) {
  const auto file = MappedFile::open(path);
  const auto bytes = file->bytes();
  if (bytes.empty()) fail_input("", "the file is empty", "give an ONNX model");
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    fail_input("", "is larger than 2 GiB, which protobuf cannot read",
               "store the weights as external data");
  }
  onnx::ModelProto model;
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  if (!model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
    const std::string guess = looks_like(bytes);
    fail_input("", guess.empty() ? "is not an ONNX model, or is cut off or damaged" : guess);
  }
  if (!model.has_graph()) {
    const std::string guess = looks_like(bytes);
    fail_input("", guess.empty() ? "contains no graph" : guess,
               guess.empty() ? "give an ONNX model" : "");
  }
  return model;
}

GraphData read_model(onnx::ModelProto& model, const fs::path& folder) {
  GraphReader reader(folder, nullptr, 0);
  reader.set_opsets(read_opsets(model, reader.warnings()));
  GraphData data = reader.read(*model.mutable_graph());
  data.producer = model.producer_name();
  data.ir_version = model.ir_version();
  for (const auto& entry : model.metadata_props()) data.metadata[entry.key()] = entry.value();
  if (is_captured_step(data)) read_captured_step(data);
  return data;
}

}  // namespace

Graph load_model(const fs::path& path) {
  try {
    onnx::ModelProto model = parse_model(path);
    inline_functions(model);
    return Graph(read_model(model, path.parent_path()));
  } catch (const Error& error) {
    throw error.within(printable(path.string()));
  }
}

NamedTensor load_tensor(const fs::path& path) {
  try {
    const auto file = MappedFile::open(path);
    onnx::TensorProto proto;
    const auto bytes = file->bytes();
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
        !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      fail_input("", "is not a tensor file");
    }
    std::vector<std::string> warnings;
    std::string name = proto.name();
    return {std::move(name), read_tensor(proto, path.parent_path(), warnings)};
  } catch (const Error& error) {
    throw error.within(printable(path.string()));
  }
}

}  // namespace stashscope
