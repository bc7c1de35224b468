#include "core/onnx/functions.h"

#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/unused_name.h"
#include "core/onnx/node_metadata.h"
#include "core/ops/families/standard_ops.h"
#include "core/ops/rules/op.h"

namespace stashscope {

namespace {

/// Limit on the nodes of the expanded model. Real models have about ten thousand.
constexpr std::size_t node_limit = 200'000;
/// Real models nest a few levels of function calls.
constexpr int max_call_depth = 100;

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

/// Older versions of ONNX's headers lack these fields; `later_fields` finds them. (onnx.proto)
enum FieldNumber { function_defaults = 11, function_overload = 13, node_overload = 8 };

std::vector<std::string> later_fields(const google::protobuf::Message& message, int number) {
  std::vector<std::string> found;
  const auto& unknown = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i) {
    const auto& field = unknown.field(i);
    const bool is_bytes = field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED;
    if (field.number() == number && is_bytes) found.push_back(field.length_delimited());
  }
  return found;
}

template <class Proto>
std::string overload_of(const Proto& proto, int number) {
  if constexpr (requires { proto.overload(); }) {
    return proto.overload();
  } else {
    const auto found = later_fields(proto, number);
    return found.empty() ? "" : found.back();
  }
}

template <class Function>
std::vector<onnx::AttributeProto> defaults_of(const Function& function) {
  std::vector<onnx::AttributeProto> defaults;
  if constexpr (requires { function.attribute_proto(); }) {
    defaults.assign(function.attribute_proto().begin(), function.attribute_proto().end());
  } else {
    for (const std::string& bytes : later_fields(function, function_defaults)) {
      if (!defaults.emplace_back().ParseFromString(bytes)) {
        fail_input("attribute of function '" + printable(function.name()) + "'", "is damaged");
      }
    }
  }
  return defaults;
}

std::string domain_of(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

struct Function {
  const onnx::FunctionProto* proto = nullptr;
  std::vector<onnx::AttributeProto> defaults = {};
  bool entered = false;
  std::optional<std::size_t> nodes = {};  ///< number of nodes after expansion

  std::string place() const { return "function '" + printable(proto->name()) + "'"; }
};

/// The model's functions by domain, name and overload.
class FunctionTable {
 public:
  explicit FunctionTable(const onnx::ModelProto& model) {
    for (const auto& each : model.functions()) {
      functions_[{domain_of(each.domain()), each.name(), overload_of(each, function_overload)}] = {
          &each, defaults_of(each)};
    }
  }

  /// The function that the node calls; null when the model does not define one.
  Function* find(const onnx::NodeProto& node) {
    const auto found = functions_.find(
        {domain_of(node.domain()), node.op_type(), overload_of(node, node_overload)});
    return found == functions_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::tuple<std::string, std::string, std::string>, Function> functions_;
};

/// Counts the nodes of the expanded graph before any of them is created.
class Expansion {
 public:
  explicit Expansion(FunctionTable& functions) : functions_(functions) {}

  std::size_t count(const Nodes& nodes) {
    std::size_t total = 0;
    for (const auto& node : nodes) {
      total += count_node(node);
      if (total > node_limit) return node_limit + 1;
    }
    return total;
  }

 private:
  std::size_t count_node(const onnx::NodeProto& node) {
    std::size_t total = 1;
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) total += count(attribute.g().node());
      for (const auto& graph : attribute.graphs()) total += count(graph.node());
    }
    Function* const called = functions_.find(node);
    return called == nullptr ? total : total + count_function(*called);
  }

  std::size_t count_function(Function& function) {
    if (function.nodes) return *function.nodes;
    if (std::exchange(function.entered, true)) fail_input(function.place(), "calls itself");
    if (++depth_ > max_call_depth) {
      fail_input(function.place(),
                 "is nested more than " + std::to_string(max_call_depth) + " function calls deep");
    }
    function.nodes = count(function.proto->node());
    --depth_;
    if (*function.nodes > node_limit) {
      fail_input(function.place(), "expands to more than " + std::to_string(node_limit) + " nodes");
    }
    return *function.nodes;
  }

  FunctionTable& functions_;
  int depth_ = 0;
};

/// Maps the names in a function's body to names in the model, for one call.
class CallScope {
 public:
  CallScope(std::string prefix, std::unordered_set<std::string>& used)
      : prefix_(std::move(prefix)), used_(used) {}

  const std::string& prefix() const { return prefix_; }
  void bind(const std::string& formal, const std::string& actual) { names_[formal] = actual; }

  /// The name in the model for a name in the body. Omitted operands stay omitted. A name that is
  /// not bound gets a name that the model does not use.
  std::string operator()(const std::string& name) {
    if (name.empty()) return name;
    const auto [entry, is_new] = names_.try_emplace(name);
    if (is_new) entry->second = unused_name(prefix_ + name, used_);
    return entry->second;
  }

 private:
  std::string prefix_;
  std::unordered_set<std::string>& used_;
  std::unordered_map<std::string, std::string> names_;
};

class Inliner {
 public:
  Inliner(onnx::ModelProto& model, FunctionTable& functions)
      : model_(model), functions_(functions) {
    collect_names(model.graph());
  }

  void run() { expand(*model_.mutable_graph()); }

 private:
  void collect_names(const onnx::GraphProto& graph) {
    for (const auto& each : graph.input()) used_.insert(each.name());
    for (const auto& each : graph.initializer()) used_.insert(each.name());
    for (const auto& each : graph.sparse_initializer()) used_.insert(each.values().name());
    for (const auto& node : graph.node()) {
      used_.insert(node.output().begin(), node.output().end());
      for (const auto& attribute : node.attribute()) {
        if (attribute.has_g()) collect_names(attribute.g());
      }
    }
  }

  void expand(onnx::GraphProto& graph) {
    Nodes nodes;
    nodes.Swap(graph.mutable_node());
    for (auto& node : nodes) add(std::move(node), *graph.mutable_node());
  }

  void add(onnx::NodeProto node, Nodes& to) {
    if (Function* const called = functions_.find(node)) return add_body(node, *called, to);
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) expand(*attribute.mutable_g());
    }
    *to.Add() = std::move(node);
  }

  void add_body(const onnx::NodeProto& call, const Function& function, Nodes& to) {
    import_opsets(function);
    CallScope scope(call_name(call) + "/" + function.proto->name() + "/", used_);
    bind_inputs(call, function, scope);
    bind_outputs(call, function, scope, to);
    int unnamed = 0;
    for (const auto& node : function.proto->node()) {
      onnx::NodeProto copy = node;
      const std::string& own = node.name();
      copy.set_name(scope.prefix() +
                    (own.empty() ? node.op_type() + "_" + std::to_string(unnamed++) : own));
      for (std::string& name : *copy.mutable_input()) name = scope(name);
      for (std::string& name : *copy.mutable_output()) name = scope(name);
      fill_in(copy, call, function, scope);
      inherit_origin(call, copy);
      add(std::move(copy), to);
    }
  }

  /// The name of a call; a call without a name gets a number.
  std::string call_name(const onnx::NodeProto& call) {
    if (!call.name().empty()) return call.name();
    return call.op_type() + "_" + std::to_string(unnamed_calls_++);
  }

  static void bind_inputs(const onnx::NodeProto& call, const Function& function, CallScope& scope) {
    const auto& formal = function.proto->input();
    if (call.input_size() > formal.size()) {
      fail_input(function.place(), "takes " + std::to_string(formal.size()) +
                                       " inputs, but node '" + printable(call.name()) +
                                       "' passes " + std::to_string(call.input_size()));
    }
    for (int i = 0; i < formal.size(); ++i) {
      scope.bind(formal[i], i < call.input_size() ? call.input(i) : "");
    }
  }

  /// If the function returns an input unchanged, an Identity node copies the input to the output.
  static void bind_outputs(const onnx::NodeProto& call, const Function& function, CallScope& scope,
                           Nodes& to) {
    const auto& formal = function.proto->output();
    if (call.output_size() > formal.size()) {
      fail_input(function.place(), "returns " + std::to_string(formal.size()) +
                                       " outputs, but node '" + printable(call.name()) +
                                       "' reads " + std::to_string(call.output_size()));
    }
    const auto& inputs = function.proto->input();
    for (int i = 0; i < call.output_size(); ++i) {
      if (call.output(i).empty()) continue;
      if (std::find(inputs.begin(), inputs.end(), formal[i]) == inputs.end()) {
        scope.bind(formal[i], call.output(i));
        continue;
      }
      onnx::NodeProto& same = *to.Add();
      same.set_name(scope.prefix() + "Identity");
      same.set_op_type("Identity");
      same.add_input(scope(formal[i]));
      same.add_output(call.output(i));
    }
  }

  /// An attribute that refers to an attribute of the function gets the value from the call, or else
  /// the function's default value. Without either value, the attribute is omitted.
  void fill_in(onnx::NodeProto& node, const onnx::NodeProto& call, const Function& function,
               CallScope& scope) {
    google::protobuf::RepeatedPtrField<onnx::AttributeProto> attributes;
    attributes.Swap(node.mutable_attribute());
    for (auto& attribute : attributes) {
      if (attribute.ref_attr_name().empty()) {
        if (attribute.has_g()) rename(*attribute.mutable_g(), call, function, scope);
        *node.add_attribute() = std::move(attribute);
        continue;
      }
      const onnx::AttributeProto* const given = find(attribute.ref_attr_name(), call, function);
      if (given == nullptr) continue;
      onnx::AttributeProto& filled = *node.add_attribute();
      filled = *given;
      filled.set_name(attribute.name());
    }
  }

  static const onnx::AttributeProto* find(const std::string& name, const onnx::NodeProto& call,
                                          const Function& function) {
    for (const auto& each : call.attribute()) {
      if (each.name() == name) return &each;
    }
    for (const auto& each : function.defaults) {
      if (each.name() == name) return &each;
    }
    return nullptr;
  }

  void rename(onnx::GraphProto& graph, const onnx::NodeProto& call, const Function& function,
              CallScope& scope) {
    for (auto& each : *graph.mutable_input()) each.set_name(scope(each.name()));
    for (auto& each : *graph.mutable_output()) each.set_name(scope(each.name()));
    for (auto& each : *graph.mutable_initializer()) each.set_name(scope(each.name()));
    for (auto& each : *graph.mutable_sparse_initializer()) {
      each.mutable_values()->set_name(scope(each.values().name()));
    }
    for (auto& each : *graph.mutable_value_info()) each.set_name(scope(each.name()));
    for (auto& node : *graph.mutable_node()) {
      for (std::string& name : *node.mutable_input()) name = scope(name);
      for (std::string& name : *node.mutable_output()) name = scope(name);
      fill_in(node, call, function, scope);
    }
  }

  /// Inlined nodes use the model's opsets. A function that imports other versions is accepted only
  /// if its operators are the same in both versions.
  void import_opsets(const Function& function) {
    for (const auto& import : function.proto->opset_import()) {
      const std::string domain = domain_of(import.domain());
      const auto known =
          std::find_if(model_.opset_import().begin(), model_.opset_import().end(),
                       [&](const auto& each) { return domain_of(each.domain()) == domain; });
      if (known == model_.opset_import().end()) {
        *model_.add_opset_import() = import;
      } else if (known->version() != import.version()) {
        check_versions(function, function.proto->node(), import, known->version());
      }
    }
  }

  /// Checks the nodes of the imported domain, also those in subgraphs.
  void check_versions(const Function& function, const Nodes& nodes,
                      const onnx::OperatorSetIdProto& import, std::int64_t given) {
    for (const auto& node : nodes) {
      if (domain_of(node.domain()) == domain_of(import.domain())) {
        check_version(function, node, import.version(), given);
      }
      for (const auto& attribute : node.attribute()) {
        if (attribute.has_g()) check_versions(function, attribute.g().node(), import, given);
      }
    }
  }

  void check_version(const Function& function, const onnx::NodeProto& node, std::int64_t wanted,
                     std::int64_t given) {
    if (functions_.find(node) != nullptr || node.op_type() == "Constant") return;
    const Op* const op = standard_ops().find(domain_of(node.domain()), node.op_type());
    if (op != nullptr && since_version(*op, wanted) == since_version(*op, given)) return;
    fail_input(function.place(),
               "uses " + printable(node.op_type()) + " of opset " + std::to_string(wanted) +
                   ", which may differ from " + printable(node.op_type()) +
                   " of the model's opset " + std::to_string(given),
               "convert the model to one opset");
  }

  onnx::ModelProto& model_;
  FunctionTable& functions_;
  std::unordered_set<std::string> used_;
  int unnamed_calls_ = 0;
};

}  // namespace

void inline_functions(onnx::ModelProto& model) {
  if (model.functions().empty()) return;
  FunctionTable functions(model);
  if (Expansion(functions).count(model.graph().node()) > node_limit) {
    fail_input("", "its functions expand to more than " + std::to_string(node_limit) + " nodes");
  }
  Inliner(model, functions).run();
}

}  // namespace stashscope
