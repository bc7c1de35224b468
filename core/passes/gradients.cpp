#include "core/passes/gradients.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/graph/traversal.h"
#include "core/ops/families/control_flow.h"

namespace stashscope {

namespace {

bool is_optimizer(const Node& node) {
  if (node.domain == "ai.onnx.preview.training") return node.op_type != "Gradient";
  return node.domain == "com.microsoft" &&
         (node.op_type.ends_with("Optimizer") || node.op_type.ends_with("OptimizerV2"));
}

/// Whether the node occurs only in training graphs.
bool is_training_op(const Node& node) {
  if (is_optimizer(node)) return true;
  const bool known_domain = node.domain.empty() || node.domain == "com.microsoft";
  return known_domain && (node.op_type.ends_with("Grad") || node.op_type.ends_with("Grad_13") ||
                          node.op_type.starts_with("InPlaceAccumulator"));
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// True for `w_grad`, `grad_3`, `W.grad.out` and `gradient_of_w`, but not for `upgrade`.
bool says_gradient(const std::string& name) {
  for (const std::string_view word : {"grad", "Grad", "gradient", "Gradient"}) {
    for (std::size_t at = name.find(word); at != std::string::npos; at = name.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      const bool starts = at == 0 || !is_letter(name[at - 1]);
      if (starts && (end == name.size() || !is_letter(name[end]))) return true;
    }
  }
  return false;
}

bool is_scalar(const Value& value) {
  const auto count = element_count(value.type);
  return count && count->is(1);
}

/// The part of a name before the last `_grad`; empty if the name has no `_grad`. A suffix such as
/// `.accumulation.out` may follow `_grad`.
std::string base_name(const std::string& name) {
  const std::size_t end = name.rfind("_grad");
  return end == std::string::npos ? "" : name.substr(0, end);
}

class RoleFinder {
 public:
  explicit RoleFinder(const Graph& graph) : graph_(graph) {
    for (const NodeId id : IdRange<NodeId>(graph.nodes().size())) {
      if (is_yield(graph.node(id))) take_yield(id);
      any_training_op_ = any_training_op_ || is_training_op(graph.node(id));
    }
    pair_by_name();
    collect_gradients();
  }

  bool any() const {
    return found_.boundary.yield.valid() || any_training_op_ || !found_.gradients.empty();
  }

  GivenBackward finish() {
    if (!found_.boundary.yield.valid()) find_forward_outputs();
    return std::move(found_);
  }

 private:
  void take_yield(NodeId id) {
    NodeId& yield = found_.boundary.yield;
    if (yield.valid()) {
      fail_input("",
                 "There are multiple YieldOps in the graph, node: " +
                     printable(graph_.node(id).name) + " is the second one.",
                 "the first one is " + describe(graph_.node(yield), yield));
    }
    yield = id;
  }

  /// The output of an optimizer is never a gradient, whatever its name and shape.
  bool is_update(ValueId output) const {
    const NodeId producer = graph_.value(output).producer;
    return producer.valid() && is_optimizer(graph_.node(producer));
  }

  void pair_by_name() {
    std::unordered_map<std::string, ValueId> outside;
    for (const ValueId id : graph_.data().inputs) outside.emplace(graph_.value(id).name, id);
    for (const Initializer& each : graph_.data().initializers) {
      outside.emplace(graph_.value(each.value).name, each.value);
    }
    for (const ValueId output : graph_.data().outputs) {
      if (is_update(output)) continue;
      const auto found = outside.find(base_name(graph_.value(output).name));
      if (found != outside.end()) pair(found->second, output);
    }
  }

  void pair(ValueId parameter, ValueId gradient) {
    found_.parameters.push_back({parameter, gradient});
    found_.gradients.push_back(gradient);
    paired_.insert(parameter);
    paired_.insert(gradient);
  }

  /// Adds the gradients whose names match no parameter, and pairs them with parameters of equal
  /// shapes. If nothing else shows that the graph has a backward pass, adds them only if at least
  /// one has the shape of a parameter without a gradient.
  void collect_gradients() {
    if (found_.boundary.yield.valid()) return;
    std::vector<ValueId> unpaired;
    for (const ValueId output : graph_.data().outputs) {
      const Value& value = graph_.value(output);
      if (!value.producer.valid() || is_update(output) || paired_.contains(output)) continue;
      const bool made_by_training = is_training_op(graph_.node(value.producer));
      if (made_by_training || says_gradient(value.name)) unpaired.push_back(output);
    }
    const bool certain = any_training_op_ || !paired_.empty();
    if (unpaired.empty() && !certain) unpaired = gradients_by_shape();
    std::vector<std::string> guessed;
    std::vector<ValueId> others;
    for (const ValueId output : unpaired) {
      const ValueId parameter = next_of_shape(output);
      if (!parameter.valid()) {
        others.push_back(output);
        continue;
      }
      pair(parameter, output);
      guessed.push_back("'" + printable(graph_.value(output).name) + "' of '" +
                        printable(graph_.value(parameter).name) + "'");
    }
    if (certain || !guessed.empty()) {
      found_.gradients.insert(found_.gradients.end(), others.begin(), others.end());
    }
    if (guessed.empty()) return;
    found_.warnings.push_back("outputs are taken for gradients because of their shapes: " +
                              join_first(guessed, 3));
  }

  /// The weights: floating-point initializers of a fixed shape that are neither literals nor
  /// scalars. If there are none, the floating-point inputs of a fixed shape that are no scalars.
  const std::vector<ValueId>& weights() {
    if (!weights_.empty()) return weights_;
    const auto add = [&](ValueId id) {
      const TensorType& type = graph_.value(id).type;
      const bool fixed = type.shape && !type.shape->empty() &&
                         std::all_of(type.shape->begin(), type.shape->end(),
                                     [](const Expr& dim) { return dim.integer().has_value(); });
      if (fixed && is_floating(type.element)) weights_.push_back(id);
    };
    for (const Initializer& each : graph_.data().initializers) {
      if (!each.is_literal) add(each.value);
    }
    if (!weights_.empty()) return weights_;
    for (const ValueId input : graph_.data().inputs) add(input);
    return weights_;
  }

  ValueId next_of_shape(ValueId output) {
    const TensorType& wanted = graph_.value(output).type;
    for (const ValueId weight : weights()) {
      if (graph_.value(weight).type == wanted && !paired_.contains(weight)) return weight;
    }
    return ValueId();
  }

  /// Guesses the gradient of each weight on which a scalar output depends. The guess is an output
  /// with the type and shape of the weight. It depends on a node that reads the weight in forward,
  /// and no scalar output depends on its producer. Empty if there is no such output for one of
  /// these weights.
  std::vector<ValueId> gradients_by_shape() {
    std::vector<NodeId> losses;
    std::vector<ValueId> others;
    for (const ValueId output : graph_.data().outputs) {
      const Value& value = graph_.value(output);
      if (!value.producer.valid() || !is_floating(value.type.element)) continue;
      is_scalar(value) ? losses.push_back(value.producer) : others.push_back(output);
    }
    if (losses.empty() || others.empty()) return {};
    const IdVector<NodeId, bool> forward = ancestors(graph_.topology(), losses);
    std::erase_if(others, [&](ValueId id) { return forward[graph_.value(id).producer]; });
    return match_weights(std::move(others), forward);
  }

  std::vector<ValueId> match_weights(std::vector<ValueId> others,
                                     const IdVector<NodeId, bool>& forward) {
    std::vector<ValueId> matched;
    for (const ValueId weight : weights()) {
      std::vector<NodeId> readers;
      for (const NodeId reader : graph_.topology().readers[weight]) {
        if (forward[reader]) readers.push_back(reader);
      }
      if (readers.empty()) continue;
      const IdVector<NodeId, bool> behind = descendants(graph_.topology(), readers);
      const auto gradient = std::find_if(others.begin(), others.end(), [&](ValueId id) {
        return graph_.value(id).type == graph_.value(weight).type &&
               behind[graph_.value(id).producer];
      });
      if (gradient == others.end()) return {};
      matched.push_back(*gradient);
      others.erase(gradient);
    }
    return matched;
  }

  /// Adds the nodes that read a given seed gradient. Such a seed is a value that no node computes
  /// and whose name refers to a computed value, such as `loss_grad` for `loss`.
  void add_seed_readers(std::vector<NodeId>& starts) const {
    std::unordered_set<std::string> made;
    for (const Value& value : graph_.values()) {
      if (value.producer.valid()) made.insert(value.name);
    }
    for (const ValueId id : IdRange<ValueId>(graph_.values().size())) {
      const Value& value = graph_.value(id);
      if (value.producer.valid() || !made.contains(base_name(value.name))) continue;
      for (const NodeId reader : graph_.topology().readers[id]) starts.push_back(reader);
    }
  }

  void find_forward_outputs() {
    std::vector<NodeId> starts;
    for (const NodeId id : IdRange<NodeId>(graph_.nodes().size())) {
      if (is_training_op(graph_.node(id))) starts.push_back(id);
    }
    add_seed_readers(starts);
    for (const ValueId id : found_.gradients) {
      if (graph_.value(id).producer.valid()) starts.push_back(graph_.value(id).producer);
    }
    if (starts.empty()) return;
    const IdVector<NodeId, bool> backward = descendants(graph_.topology(), starts);
    for (const ValueId output : graph_.data().outputs) {
      const NodeId producer = graph_.value(output).producer;
      if (producer.valid() && !backward[producer]) found_.boundary.outputs.push_back(output);
    }
  }

  const Graph& graph_;
  GivenBackward found_;
  bool any_training_op_ = false;
  std::unordered_set<ValueId> paired_;
  std::vector<ValueId> weights_;
};

}  // namespace

bool has_backward(const Graph& graph) { return RoleFinder(graph).any(); }

GivenBackward find_given_backward(const Graph& graph) { return RoleFinder(graph).finish(); }

}  // namespace stashscope
