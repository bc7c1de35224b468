// Converts a Graph to the protobuf of a model.

#include <onnx/onnx_pb.h>

#include <unordered_set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/onnx/model_file.h"
#include "core/onnx/node_metadata.h"
#include "core/onnx/tensor_proto.h"

namespace stashscope {

namespace {

namespace fs = std::filesystem;

/// Aligns external data to pages so that it can be mapped, as the ONNX format recommends.
constexpr std::size_t external_alignment = 4096;

/// Collects the bytes of tensors that stay outside the model file.
class ExternalWriter {
 public:
  explicit ExternalWriter(fs::path file)
      : file_(std::move(file)), location_(file_.filename().string()) {}

  void add(const Tensor& tensor, onnx::TensorProto& proto) {
    refuse_own_source(tensor.external_data()->file);
    const TensorBytes data = tensor.load();
    contents_.resize((contents_.size() + external_alignment - 1) / external_alignment *
                     external_alignment);
    const std::size_t offset = contents_.size();
    contents_.append(reinterpret_cast<const char*>(data.bytes.data()), data.bytes.size());
    proto.set_data_type(static_cast<int>(tensor.element()));
    for (const std::int64_t dim : tensor.dims()) proto.add_dims(dim);
    proto.set_data_location(onnx::TensorProto::EXTERNAL);
    add_entry(proto, "location", location_);
    add_entry(proto, "offset", std::to_string(offset));
    add_entry(proto, "length", std::to_string(data.bytes.size()));
  }

  const std::string& contents() const { return contents_; }

 private:
  void refuse_own_source(const fs::path& source) const {
    std::error_code unknown;
    if (fs::equivalent(source, file_, unknown)) {
      fail_input(printable(file_.string()), "contains weights that the model reads",
                 "save the model under another name");
    }
  }

  static void add_entry(onnx::TensorProto& proto, const char* key, const std::string& value) {
    auto* const entry = proto.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }

  fs::path file_;
  std::string location_;  // the data file's name, as the model file states it
  std::string contents_;
};

class ModelWriter {
 public:
  explicit ModelWriter(ExternalWriter& external) : external_(external) {}

  void write(const Graph& graph, onnx::GraphProto& proto) {
    const GraphData& data = graph.data();
    proto.set_name(data.name.empty() ? "graph" : data.name);
    for (const ValueId id : data.inputs) write_value(graph, id, *proto.add_input());
    for (const ValueId id : data.outputs) write_value(graph, id, *proto.add_output());
    for (const Initializer& initializer : data.initializers) {
      auto& tensor = *proto.add_initializer();
      tensor.set_name(graph.value(initializer.value).name);
      write_data(initializer.tensor, tensor);
    }
    for (const Node& node : data.nodes) write_node(graph, node, *proto.add_node());
    write_value_info(graph, proto);
  }

 private:
  void write_data(const Tensor& tensor, onnx::TensorProto& proto) {
    if (tensor.external_data() != nullptr) {
      external_.add(tensor, proto);
    } else {
      write_tensor(tensor, proto);
    }
  }

  static void write_value(const Graph& graph, ValueId id, onnx::ValueInfoProto& proto) {
    const Value& value = graph.value(id);
    proto.set_name(value.name);
    if (!value.type.opaque.empty()) {
      proto.mutable_type()->ParseFromString(value.type.opaque);
      return;
    }
    auto& tensor = *proto.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(static_cast<int>(value.type.element));
    if (!value.type.shape) return;
    auto& shape = *tensor.mutable_shape();
    for (const Expr& dim : *value.type.shape) {
      if (const auto number = dim.integer()) {
        shape.add_dim()->set_dim_value(*number);
      } else {
        shape.add_dim()->set_dim_param(to_string(dim, graph.symbols()));
      }
    }
  }

  static void write_value_info(const Graph& graph, onnx::GraphProto& proto) {
    for (const ValueId id : IdRange<ValueId>(graph.values().size())) {
      const Value& value = graph.value(id);
      const bool known = value.type.element != ElementType::undefined && value.type.shape;
      if (known && value.producer.valid() && !graph.is_graph_output(id)) {
        write_value(graph, id, *proto.add_value_info());
      }
    }
  }

  void write_node(const Graph& graph, const Node& node, onnx::NodeProto& proto) {
    const auto name = [&](ValueId id) { return id.valid() ? graph.value(id).name : std::string(); };
    proto.set_name(node.name);
    proto.set_op_type(node.op_type);
    proto.set_domain(node.domain);
    if (!node.doc_string.empty()) proto.set_doc_string(node.doc_string);
    if (node.origin != nullptr) write_origin(*node.origin, proto);
    for (const ValueId id : node.inputs) proto.add_input(name(id));
    for (const ValueId id : node.outputs) proto.add_output(name(id));
    for (const auto& [key, value] : node.attributes.items()) {
      auto& attribute = *proto.add_attribute();
      std::visit([&](const auto& held) { write_attribute(held, attribute); }, value);
      attribute.set_name(key);
    }
  }

  static void write_attribute(std::int64_t value, onnx::AttributeProto& proto) {
    proto.set_type(onnx::AttributeProto::INT);
    proto.set_i(value);
  }
  static void write_attribute(float value, onnx::AttributeProto& proto) {
    proto.set_type(onnx::AttributeProto::FLOAT);
    proto.set_f(value);
  }
  static void write_attribute(const std::string& value, onnx::AttributeProto& proto) {
    proto.set_type(onnx::AttributeProto::STRING);
    proto.set_s(value);
  }
  static void write_attribute(const Integers& values, onnx::AttributeProto& proto) {
    proto.set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t value : values) proto.add_ints(value);
  }
  static void write_attribute(const Floats& values, onnx::AttributeProto& proto) {
    proto.set_type(onnx::AttributeProto::FLOATS);
    for (const float value : values) proto.add_floats(value);
  }
  static void write_attribute(const Strings& values, onnx::AttributeProto& proto) {
    proto.set_type(onnx::AttributeProto::STRINGS);
    for (const std::string& value : values) proto.add_strings(value);
  }
  void write_attribute(const Tensor& value, onnx::AttributeProto& proto) {
    proto.set_type(onnx::AttributeProto::TENSOR);
    write_data(value, *proto.mutable_t());
  }
  void write_attribute(const Subgraph& value, onnx::AttributeProto& proto) {
    proto.set_type(onnx::AttributeProto::GRAPH);
    write(*value, *proto.mutable_g());
  }
  static void write_attribute(const OpaqueAttribute& value, onnx::AttributeProto& proto) {
    proto.ParseFromString(value.serialized);
  }

  ExternalWriter& external_;
};

void write_header(const GraphData& data, onnx::ModelProto& model) {
  model.set_ir_version(std::max<std::int64_t>(data.ir_version, 4));
  model.set_producer_name("stashscope");
  for (const auto& [domain, version] : data.opsets) {
    auto& import = *model.add_opset_import();
    import.set_domain(domain);
    import.set_version(version);
  }
  for (const auto& [key, value] : data.metadata) {
    auto& entry = *model.add_metadata_props();
    entry.set_key(key);
    entry.set_value(value);
  }
}

}  // namespace

void save_model(const Graph& graph, const fs::path& path) {
  fs::path data_path = path;
  data_path += ".data";
  ExternalWriter external(data_path);
  onnx::ModelProto model;
  write_header(graph.data(), model);
  ModelWriter(external).write(graph, *model.mutable_graph());
  std::string bytes;
  if (!model.SerializeToString(&bytes)) {
    fail_input(printable(path.string()), "the model does not fit into 2 GiB",
               "store its weights as external data first");
  }
  if (!external.contents().empty()) write_file_atomically(data_path, external.contents());
  write_file_atomically(path, bytes);
}

}  // namespace stashscope
