#include <algorithm>
#include <cctype>
#include <optional>
#include <unordered_set>

#include "core/base/advice.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/graph/traversal.h"
#include "core/ops/families/standard_ops.h"
#include "core/ops/rules/gradient_context.h"
#include "core/passes/infer_shapes.h"
#include "core/passes/training_step.h"

namespace stashscope {

namespace {

bool matches_any(const std::string& name, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& p) { return matches_wildcard(name, p); });
}

/// Whether the value has a name that exporters give to folded constants, which are not weights.
bool looks_folded(const Value& value) {
  return value.name.starts_with("onnx::") || value.name.find("Constant") != std::string::npos;
}

/// Whether tensors of this type may have gradients. Gradients of fewer than 16 bits would be mostly
/// rounding errors.
bool carries_gradients(const TensorType& type) {
  return is_floating(type.element) && bits_per_element(type.element) >= 16;
}

bool is_static(const TensorType& type) {
  return type.shape && std::all_of(type.shape->begin(), type.shape->end(),
                                   [](const Expr& dim) { return dim.integer().has_value(); });
}

/// Guesses the parameters. Only the finished backward pass shows which of them receive a gradient.
class CandidateGuess {
 public:
  CandidateGuess(const Graph& graph, const TrainingGoal& goal) : graph_(graph), goal_(goal) {
    for (const Initializer& initializer : graph.data().initializers) {
      if (guessed_initializer(initializer)) any_initializer_ = true;
    }
  }

  std::vector<ValueId> candidates() const {
    for (const std::string& each : goal_.trainable) check_matches(each);
    for (const std::string& each : goal_.frozen) check_matches(each);
    std::vector<ValueId> found;
    for (const Initializer& initializer : graph_.data().initializers) {
      if (chosen(initializer.value, guessed_initializer(initializer))) {
        found.push_back(initializer.value);
      }
    }
    for (const ValueId input : graph_.data().inputs) {
      const bool guess = !any_initializer_ && is_static(graph_.value(input).type);
      if (chosen(input, guess)) found.push_back(input);
    }
    return found;
  }

  /// Whether any initializer is a weight, or the user named weights. Guessed inputs do not count.
  bool has_weights() const { return any_initializer_ || !goal_.trainable.empty(); }

 private:
  bool guessed_initializer(const Initializer& initializer) const {
    const Value& value = graph_.value(initializer.value);
    const bool scalar = value.type.shape && value.type.shape->empty();
    return carries_gradients(value.type) && !initializer.is_literal &&
           !(scalar && looks_folded(value));
  }

  void check_matches(const std::string& pattern) const {
    const auto matches = [&](ValueId id) {
      return carries_gradients(graph_.value(id).type) &&
             matches_wildcard(graph_.value(id).name, pattern);
    };
    const auto& initializers = graph_.data().initializers;
    const auto& inputs = graph_.data().inputs;
    if (std::any_of(inputs.begin(), inputs.end(), matches)) return;
    if (std::any_of(initializers.begin(), initializers.end(),
                    [&](const Initializer& each) { return matches(each.value); })) {
      return;
    }
    fail_usage("pattern '" + printable(pattern) + "'", "matches no weight of the model",
               "give a weight's name; * stands for any characters");
  }

  bool chosen(ValueId id, bool guess) const {
    const Value& value = graph_.value(id);
    if (!carries_gradients(value.type)) return false;
    if (matches_any(value.name, goal_.frozen)) return false;
    return guess || matches_any(value.name, goal_.trainable);
  }

  const Graph& graph_;
  const TrainingGoal& goal_;
  bool any_initializer_ = false;
};

bool is_scalar(const TensorType& type) {
  const auto count = element_count(type);
  return count && count->is(1);
}

std::string quoted_names(const Graph& graph, const std::vector<ValueId>& values) {
  std::vector<std::string> names;
  names.reserve(values.size());
  for (const ValueId id : values) names.push_back("'" + printable(graph.value(id).name) + "'");
  return join(names, ", ");
}

bool is_named_loss(const Graph& graph, ValueId output) {
  std::string name = graph.value(output).name;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name.find("loss") != std::string::npos;
}

/// Guesses which of several scalar outputs is the loss: the output with `loss` in its name if there
/// is exactly one such output, else the first output.
ValueId likely_loss(const Graph& graph, const std::vector<ValueId>& scalars) {
  const auto is_loss = [&](ValueId output) { return is_named_loss(graph, output); };
  if (std::ranges::count_if(scalars, is_loss) != 1) return scalars.front();
  return *std::ranges::find_if(scalars, is_loss);
}

/// The outputs whose gradients start the backward pass. If the goal names no loss, adds a warning
/// if several outputs are scalars, or if none is a scalar and outputs of other shapes take the
/// place of a loss. Throws an input Error if `goal.loss` names no floating-point output that a node
/// computes.
/// @param has_weights whether there are weights to train
std::vector<ValueId> seeds_of(const Graph& graph, const TrainingGoal& goal, bool has_weights,
                              std::vector<std::string>& warnings) {
  std::vector<ValueId> floating;
  std::vector<ValueId> scalars;
  for (const ValueId output : graph.data().outputs) {
    const Value& value = graph.value(output);
    if (!carries_gradients(value.type) || !value.producer.valid()) continue;
    floating.push_back(output);
    if (is_scalar(value.type)) scalars.push_back(output);
    if (!goal.loss.empty() && value.name == goal.loss) return {output};
  }
  if (!goal.loss.empty()) {
    fail_input("loss '" + printable(goal.loss) + "'",
               "is not a floating-point output that the model computes");
  }
  if (scalars.size() > 1) {
    const std::string several =
        "the model has several scalar outputs: " + quoted_names(graph, scalars);
    if (has_weights) {
      const ValueId loss = likely_loss(graph, scalars);
      warnings.push_back(several + "; " + quoted_names(graph, {loss}) + " is taken for the loss" +
                         option_words({Advice::Action::choose_loss}));
      return {loss};
    }
    warnings.push_back(several + "; the model has no weights, so none of these outputs is a loss");
    return {};
  }
  if (scalars.size() == 1) return scalars;
  if (!floating.empty()) {
    warnings.push_back(
        "no output is a scalar loss; the backward pass starts with a gradient of ones at every "
        "floating-point output");
  }
  return floating;
}

/// The forward graph restricted to the nodes that lead to an output; nothing if all nodes do.
std::optional<Graph> without_dead_nodes(const Graph& graph, std::vector<std::string>& warnings) {
  std::vector<NodeId> roots;
  for (const ValueId output : graph.data().outputs) {
    if (graph.value(output).producer.valid()) roots.push_back(graph.value(output).producer);
  }
  const IdVector<NodeId, bool> alive = ancestors(graph.topology(), roots);
  const auto dropped = std::count(alive.begin(), alive.end(), false);
  if (dropped == 0) return std::nullopt;
  GraphData data = graph.data();
  IdVector<NodeId, Node> kept;
  for (const NodeId node : IdRange<NodeId>(data.nodes.size())) {
    if (alive[node]) kept.push_back(std::move(data.nodes[node]));
  }
  warnings.push_back(counted(static_cast<std::size_t>(dropped),
                             "node leads to no output and is removed",
                             "nodes lead to no output and are removed"));
  data.nodes = std::move(kept);
  return Graph(std::move(data));
}

class BackwardPass {
 public:
  BackwardPass(const Graph& graph, const std::vector<ValueId>& parameters,
               const std::vector<ValueId>& seeds, ElementType gradient_type)
      : graph_(graph),
        builder_(graph.data()),
        ops_(resolve_ops(graph)),
        parameters_(parameters),
        seeds_(seeds),
        gradient_type_(gradient_type),
        contributions_(graph.values().size()) {}

  TrainingStep run() {
    mark_dependents();
    builder_.forget_declared_shapes();
    TrainingStep step;
    Node yield = make_yield();
    for (std::size_t i = graph_.nodes().size(); i-- > 0;) differentiate(NodeId(i));
    std::vector<ValueId> outputs = graph_.data().outputs;
    for (const ValueId parameter : parameters_) {
      const ValueId gradient = parameter_gradient(parameter);
      if (gradient.valid()) outputs.push_back(gradient);
      step.parameters.push_back({parameter, gradient});
    }
    step.graph = std::make_shared<const Graph>(
        infer_shapes(Graph(builder_.finish(std::move(yield), std::move(outputs)))));
    return step;
  }

 private:
  /// depends_[v]: v has a floating-point type, and gradients can flow from v to a parameter.
  void mark_dependents() {
    depends_ = IdVector<ValueId, bool>(graph_.values().size(), false);
    for (const ValueId parameter : parameters_) depends_[parameter] = true;
    for (const NodeId id : IdRange<NodeId>(graph_.nodes().size())) {
      const Op* const op = ops_[id];
      if (op != nullptr && op->stops_gradients) continue;
      const auto inputs = graph_.topology().inputs[id];
      const bool any = std::any_of(inputs.begin(), inputs.end(),
                                   [&](ValueId input) { return input.valid() && depends_[input]; });
      if (!any) continue;
      for (const ValueId output : graph_.topology().outputs[id]) {
        depends_[output] = is_floating(graph_.value(output).type.element);
      }
    }
  }

  Node make_yield() {
    Node yield;
    yield.name = builder_.unused("YieldOp");
    yield.domain = microsoft_domain;
    yield.op_type = "YieldOp";
    Integers excluded;
    Integers full_shape;
    for (const ValueId output : graph_.data().outputs) {
      const auto index = static_cast<std::int64_t>(yield.inputs.size());
      yield.inputs.push_back(output);
      const bool is_seed = std::find(seeds_.begin(), seeds_.end(), output) != seeds_.end();
      if (!is_seed || !depends_[output]) {
        excluded.push_back(index);
        continue;
      }
      full_shape.push_back(std::ssize(yield.outputs));
      const ValueId seed =
          builder_.new_value(graph_.value(output).name + "_grad", graph_.value(output).type);
      named_.insert(seed);
      contributions_[output].push_back(seed);
      yield.outputs.push_back(seed);
    }
    if (!excluded.empty()) yield.attributes.set("non_differentiable_outputs", excluded);
    yield.attributes.set("full_shape_outputs", full_shape);
    return yield;
  }

  /// The sum of all gradients of a value; invalid when there are none.
  ValueId total_gradient(ValueId value) {
    std::vector<ValueId>& parts = contributions_[value];
    if (parts.empty()) return ValueId();
    const std::string name = graph_.value(value).name + "_grad";
    if (parts.size() > 1) {
      parts = builder_.add(name, "", "Sum", std::move(parts), {true}, {});
    }
    if (named_.insert(parts[0]).second) builder_.rename(parts[0], name);
    return parts[0];
  }

  void differentiate(NodeId id) {
    std::vector<ValueId> arriving;
    bool any = false;
    for (const ValueId output : graph_.node(id).outputs) {
      const bool wanted = output.valid() && depends_[output];
      arriving.push_back(wanted ? total_gradient(output) : ValueId());
      any = any || arriving.back().valid();
    }
    if (!any) return;
    if (only_narrows(id)) {
      const ValueId parameter = graph_.node(id).inputs[0];
      contributions_[parameter] = std::move(arriving);
      narrow_.insert(parameter);
      return;
    }
    std::vector<bool> wanted;
    for (const ValueId input : graph_.node(id).inputs) {
      wanted.push_back(input.valid() && depends_[input]);
    }
    apply_rule(id, std::move(arriving), std::move(wanted));
  }

  void apply_rule(NodeId id, std::vector<ValueId> arriving, std::vector<bool> wanted) {
    const Node& node = graph_.node(id);
    const Op* const op = ops_[id];
    if (op == nullptr || op->gradient == nullptr) {
      throw NoGradientRule(ErrorKind::input, describe(node, id),
                           "lies between a parameter and the loss, but has no gradient rule",
                           option_hint({Advice::Action::freeze_parameters}));
    }
    GradientContext context(builder_, id, std::move(arriving), std::move(wanted));
    try {
      op->gradient(context);
    } catch (const NoGradientRule& error) {
      const Error placed = error.within(describe(node, id));
      throw NoGradientRule(placed.kind(), placed.where(), placed.reason(), placed.hint());
    } catch (const Error& error) {
      throw error.within(describe(node, id));
    }
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId gradient = context.given()[i];
      if (gradient.valid() && context.wants(i)) contributions_[node.inputs[i]].push_back(gradient);
    }
  }

  /// Whether the gradient of the parameter is to be kept in fewer bits than it is computed in.
  bool is_narrowed(ValueId parameter) const {
    return gradient_type_ != ElementType::undefined &&
           graph_.value(parameter).type.element == ElementType::float32 &&
           std::find(parameters_.begin(), parameters_.end(), parameter) != parameters_.end();
  }

  /// Whether the node casts a parameter that no other node reads, to the type in which the gradient
  /// of the parameter is kept. The gradient of the cast's result then becomes the gradient of the
  /// parameter as it is, instead of being widened and narrowed again.
  bool only_narrows(NodeId id) const {
    const Node& node = graph_.node(id);
    if (node.op_type != "Cast" || !is_narrowed(node.inputs[0])) return false;
    return graph_.value(node.outputs[0]).type.element == gradient_type_ &&
           graph_.topology().readers[node.inputs[0]].size() == 1 &&
           contributions_[node.inputs[0]].empty();
  }

  /// Adds up the parts of a parameter's gradient, and casts the sum to the type in which gradients
  /// of parameters are kept.
  void narrow(const std::string& name, std::vector<ValueId>& parts) {
    if (parts.size() > 1) parts = builder_.add(name, "", "Sum", std::move(parts), {true}, {});
    Attributes to;
    to.set("to", static_cast<std::int64_t>(gradient_type_));
    parts = builder_.add(name, "", "Cast", std::move(parts), {true}, std::move(to));
  }

  /// The gradient of a parameter as a separate output value. If the same value is already the
  /// gradient of another value, an Identity node copies it.
  ValueId parameter_gradient(ValueId parameter) {
    std::vector<ValueId>& parts = contributions_[parameter];
    if (parts.empty()) return ValueId();
    const std::string& name = graph_.value(parameter).name;
    if (is_narrowed(parameter) && !narrow_.contains(parameter)) {
      narrow(name, parts);
    } else if (parts.size() == 1 && named_.contains(parts[0])) {
      parts = builder_.add(name, "", "Identity", {parts[0]}, {true}, {});
    }
    return total_gradient(parameter);
  }

  const Graph& graph_;
  BackwardBuilder builder_;
  IdVector<NodeId, const Op*> ops_;
  const std::vector<ValueId>& parameters_;
  const std::vector<ValueId>& seeds_;
  ElementType gradient_type_;
  IdVector<ValueId, bool> depends_;
  IdVector<ValueId, std::vector<ValueId>> contributions_;
  std::unordered_set<ValueId> named_;
  std::unordered_set<ValueId> narrow_;  ///< parameters whose gradient arrives in gradient_type_
};

/// The reason why no parameter receives a gradient. If an output of a node has an unknown type,
/// names the first such output, because no gradient passes through it.
std::string why_nothing_trains(const Graph& graph) {
  const std::string nothing = "no parameter receives a gradient: ";
  for (const Node& node : graph.nodes()) {
    for (const ValueId output : node.outputs) {
      if (!output.valid() || graph.value(output).type.element != ElementType::undefined) continue;
      return nothing + "the type of " + describe(graph.value(output)) + ", an output of " +
             printable(node.op_type) + ", is unknown; declare its type and shape in the model";
    }
  }
  return nothing + "there is nothing to train";
}

/// Drops parameters that are read but have no gradient, such as running statistics. Keeps unused
/// parameters and adds a warning for each one.
void sort_out_parameters(TrainingStep& step, const Graph& graph) {
  std::erase_if(step.parameters, [&](const Parameter& parameter) {
    if (parameter.gradient.valid()) return false;
    if (graph.topology().readers[parameter.value].empty()) {
      step.warnings.push_back("parameter '" + printable(graph.value(parameter.value).name) +
                              "' is not used and receives no gradient");
      return false;
    }
    return true;
  });
}

void warn_of_gradient_type(TrainingStep& step, ElementType gradient_type) {
  if (gradient_type == ElementType::undefined) return;
  const bool any = std::ranges::any_of(step.parameters, [&](const Parameter& each) {
    return each.gradient.valid() &&
           step.graph->value(each.value).type.element == ElementType::float32;
  });
  if (any) return;
  step.warnings.emplace_back("no trained parameter is float32, so all gradients keep their types");
}

}  // namespace

std::vector<ValueId> parameter_candidates(const Graph& graph, const TrainingGoal& goal) {
  return CandidateGuess(graph, goal).candidates();
}

std::vector<ValueId> loss_outputs(const Graph& graph, const TrainingGoal& goal) {
  std::vector<std::string> warnings;
  return seeds_of(graph, goal, CandidateGuess(graph, goal).has_weights(), warnings);
}

TrainingStep build_backward(const Graph& model, const TrainingGoal& goal,
                            ElementType gradient_type) {
  std::vector<std::string> warnings;
  const std::optional<Graph> alive = without_dead_nodes(model, warnings);
  const Graph& graph = alive ? *alive : model;
  const CandidateGuess guess(graph, goal);
  const std::vector<ValueId> parameters = guess.candidates();
  const std::vector<ValueId> seeds = seeds_of(graph, goal, guess.has_weights(), warnings);
  TrainingStep step = BackwardPass(graph, parameters, seeds, gradient_type).run();
  step.warnings = std::move(warnings);
  sort_out_parameters(step, graph);
  warn_of_gradient_type(step, gradient_type);
  const bool trains = std::any_of(step.parameters.begin(), step.parameters.end(),
                                  [](const Parameter& p) { return p.gradient.valid(); });
  if (!trains) {
    step.no_backward = why_nothing_trains(graph);
    step.warnings.push_back(step.no_backward);
    step.graph = std::make_shared<const Graph>(graph);
  }
  step.boundary = find_given_backward(*step.graph).boundary;
  return step;
}

}  // namespace stashscope
