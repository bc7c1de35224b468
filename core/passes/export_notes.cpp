#include "core/passes/export_notes.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <set>

#include "core/base/advice.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/graph/node_path.h"
#include "core/ops/families/dropout.h"
#include "core/ops/families/normalization.h"

namespace stashscope {

namespace {

/// The first three of `names`, quoted, and how many more there are.
std::string first_names(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 3;
  std::vector<std::string> quoted;
  quoted.reserve(names.size());
  for (const std::string& each : names) quoted.push_back("'" + printable(each, 80) + "'");
  return join_first(std::move(quoted), shown);
}

std::string shown_node(const Graph& graph, NodeId id) {
  const std::string& name = graph.node(id).name;
  return name.empty() ? "#" + std::to_string(id.index()) : name;
}

void note_normalizations(const Graph& graph, std::vector<std::string>& notes) {
  std::vector<std::string> names;
  for (const NodeId id : IdRange<NodeId>(graph.nodes().size())) {
    const Node& node = graph.node(id);
    const bool infers = node.op_type == "BatchNormalization" && node.domain.empty() &&
                        !batch_norm_trains(node, graph.opset(""));
    if (infers) names.push_back(shown_node(graph, id));
  }
  if (names.empty()) return;
  notes.push_back(counted(names.size(), "batch normalization is", "batch normalizations are") +
                  " exported in inference mode: " + first_names(names) +
                  "; the loss and the gradients are based on fixed statistics" +
                  option_words({Advice::Action::train_normalizations,
                                "export again with model.train(), dynamo=False and "
                                "training=TrainingMode.TRAINING"}));
}

/// Whether a node stands for a dropout that keeps every element: a Dropout in inference mode, or
/// the Identity that the exporter writes in a module with `dropout` in its name.
bool is_idle_dropout(const Graph& graph, const Node& node) {
  if (node.op_type == "Dropout") return node.domain.empty() && !dropout_trains(graph, node);
  const std::vector<std::string> scope = path_of(node).scope;
  if (node.op_type != "Identity" || scope.empty()) return false;
  std::string module = scope.back();
  std::ranges::transform(module, module.begin(), [](unsigned char c) { return std::tolower(c); });
  return module.find("dropout") != std::string::npos;
}

void note_dropouts(const Graph& graph, std::vector<std::string>& notes) {
  std::vector<std::string> names;
  for (const NodeId id : IdRange<NodeId>(graph.nodes().size())) {
    if (is_idle_dropout(graph, graph.node(id))) names.push_back(shown_node(graph, id));
  }
  if (names.empty()) return;
  notes.push_back(
      counted(names.size(), "dropout keeps", "dropouts keep") +
      " every element: " + first_names(names) +
      "; the export was in inference mode or the probability is 0, so that no masks "
      "are stored; export again with model.train() if the training program drops elements");
}

/// The tensor of a trained parameter. Null if the parameter has no gradient, is a graph input or
/// was added by a pass, or if the tensor has no data.
const Tensor* tensor_of(const Graph& graph, const Parameter& parameter) {
  const bool is_known = parameter.value.index() < graph.values().size();
  if (!parameter.gradient.valid() || !is_known) return nullptr;
  const Initializer* const initializer = graph.initializer(parameter.value);
  return initializer != nullptr && initializer->tensor.has_data() ? &initializer->tensor : nullptr;
}

/// Whether a tensor has at least two elements and all are equal. In practice, the exporter merges
/// only parameters that are all ones or all zeros.
bool is_uniform(const Tensor& tensor) {
  const auto size = static_cast<std::size_t>(bits_per_element(tensor.element()) / 8);
  const TensorBytes data = tensor.load();
  return data.bytes.size() > size &&
         std::memcmp(data.bytes.data(), data.bytes.data() + size, data.bytes.size() - size) == 0;
}

/// The module that owns a parameter: `layers.0.norm` for `layers.0.norm.weight`.
std::string owner_of(const std::string& parameter) {
  return parameter.substr(0, parameter.rfind('.'));
}

/// Adds the modules that read a parameter, as far as the exporter recorded modules. The older
/// exporter copies a merged parameter by an Identity node without a module, whose output has the
/// name of the other parameter. The modules then come from the names of both parameters.
void collect_modules(const Graph& graph, ValueId value, std::set<std::string>& modules) {
  for (const NodeId reader : graph.topology().readers[value]) {
    const Node& node = graph.node(reader);
    const std::string module = module_of(node);
    const bool is_copy = node.op_type == "Identity" && node.outputs[0].valid();
    if (is_copy && path_of(node).scope.empty()) {
      modules.insert(owner_of(graph.value(value).name));
      modules.insert(owner_of(graph.value(node.outputs[0]).name));
    } else if (is_copy) {
      collect_modules(graph, node.outputs[0], modules);
    } else if (!module.empty()) {
      modules.insert(module);
    }
  }
}

/// Whether one of `modules` neither lies inside the first of `modules` nor contains it.
bool are_apart(const std::set<std::string>& modules) {
  const auto contains = [](const std::string& a, const std::string& b) {
    return b.starts_with(a + ".");
  };
  return std::any_of(modules.begin(), modules.end(), [&](const std::string& each) {
    return each != *modules.begin() && !contains(*modules.begin(), each) &&
           !contains(each, *modules.begin());
  });
}

void note_merged(const Graph& graph, const std::vector<Parameter>& parameters,
                 std::vector<std::string>& notes) {
  std::vector<std::string> names;
  for (const Parameter& each : parameters) {
    const Tensor* const tensor = tensor_of(graph, each);
    if (tensor == nullptr || tensor->dims().empty()) continue;
    std::set<std::string> modules;
    collect_modules(graph, each.value, modules);
    if (are_apart(modules) && is_uniform(*tensor)) names.push_back(graph.value(each.value).name);
  }
  if (names.empty()) return;
  notes.push_back(
      counted(names.size(), "parameter is", "parameters are") +
      " shared by modules that should each have their own: " + first_names(names) +
      "; the exporter merges parameters of equal values, so that their gradients are added up; "
      "export again with dynamo=True and optimize=False, or with dynamo=False, model.train() and "
      "training=TrainingMode.TRAINING");
}

/// Whether the name has a form that exporters give to constants that they compute.
bool is_folded_name(const std::string& name) {
  return name.starts_with("onnx::") || name.starts_with("val_");
}

/// The dims and 64 elements of a matrix, read as [rows, columns] or transposed. Empty if the
/// elements have at most eight distinct values.
std::string sample_of(const Tensor& tensor, bool transposed) {
  constexpr std::int64_t samples = 64;
  const auto size = static_cast<std::size_t>(bits_per_element(tensor.element()) / 8);
  const TensorBytes data = tensor.load();
  const std::int64_t rows = tensor.dims()[transposed ? 1 : 0];
  const std::int64_t columns = tensor.dims()[transposed ? 0 : 1];
  std::string sample = std::to_string(rows) + "x" + std::to_string(columns) + ":";
  std::set<std::string> distinct;
  for (std::int64_t i = 0; i < samples; ++i) {
    const std::int64_t row = i * 7919 % rows;
    const std::int64_t column = i * 104729 % columns;
    const std::int64_t at = transposed ? column * rows + row : row * columns + column;
    const auto* const begin =
        reinterpret_cast<const char*>(data.bytes.data()) + static_cast<std::size_t>(at) * size;
    distinct.emplace(begin, size);
    sample.append(begin, size);
  }
  return distinct.size() > samples / 8 ? sample : std::string();
}

using NamedTensor = std::pair<std::string, const Tensor*>;

/// The text `copy' of 'original` for each folded matrix that is a copy, transposed or not, of a
/// named parameter. The caller adds the outer quotes.
std::vector<std::string> copies(const std::vector<NamedTensor>& folded,
                                const std::vector<NamedTensor>& named) {
  std::map<std::string, std::string> names;
  for (const auto& [name, tensor] : named) names.emplace(sample_of(*tensor, false), name);
  names.erase("");
  std::vector<std::string> found;
  for (const auto& [name, tensor] : folded) {
    for (const bool transposed : {false, true}) {
      const auto original = names.find(sample_of(*tensor, transposed));
      if (original != names.end()) found.push_back(name + "' of '" + original->second);
    }
  }
  return found;
}

void note_folded(const Graph& graph, const std::vector<Parameter>& parameters,
                 std::vector<std::string>& notes) {
  std::vector<std::string> names;
  std::vector<NamedTensor> folded;
  std::vector<NamedTensor> named;
  for (const Parameter& each : parameters) {
    const Tensor* const tensor = tensor_of(graph, each);
    if (tensor == nullptr || tensor->dims().empty() || tensor->elements() == 0) continue;
    const std::string& name = graph.value(each.value).name;
    if (is_folded_name(name)) names.push_back(name);
    if (tensor->dims().size() != 2) continue;
    (is_folded_name(name) ? folded : named).emplace_back(name, tensor);
  }
  if (names.empty()) return;
  notes.push_back(counted(names.size(), "parameter is", "parameters are") +
                  " computed by the exporter from other parameters: " + first_names(names) +
                  "; export again with dynamo=True and optimize=False, or with dynamo=False, "
                  "model.train(), training=TrainingMode.TRAINING and do_constant_folding=False");
  const std::vector<std::string> copied = copies(folded, named);
  if (copied.empty()) return;
  notes.push_back(counted(copied.size(), "parameter is a copy", "parameters are copies") +
                  " of a tied parameter: " + first_names(copied) +
                  "; in the training program, copy and original are one parameter with one "
                  "gradient, but this model trains them separately");
}

}  // namespace

std::vector<std::string> export_notes(const Graph& exported, const Graph& step,
                                      const std::vector<Parameter>& parameters) {
  std::vector<std::string> notes;
  note_normalizations(step, notes);
  note_dropouts(step, notes);
  note_merged(exported, parameters, notes);
  note_folded(exported, parameters, notes);
  return notes;
}

}  // namespace stashscope
