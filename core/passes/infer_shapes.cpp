#include "core/passes/infer_shapes.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/error.h"
#include "core/graph/traversal.h"
#include "core/ops/families/control_flow.h"
#include "core/ops/families/standard_ops.h"
#include "core/ops/rules/contents.h"
#include "core/ops/rules/op.h"
#include "core/ops/rules/shape_context.h"
#include "core/passes/declared_names.h"
#include "core/passes/subgraph_types.h"
#include "core/passes/unify.h"

namespace stashscope {

namespace {

std::shared_ptr<const Contents> contents_of(const Tensor& tensor) {
  std::int64_t count = 0;
  if (!tensor.has_data() || (count = tensor.elements()) > static_cast<std::int64_t>(max_contents)) {
    return nullptr;
  }
  Contents items;
  if (const auto numbers = tensor.integers()) {
    for (const std::int64_t number : *numbers) items.push_back(number);
  } else if (const auto reals = tensor.reals()) {
    for (const double real : *reals) {
      const auto item = exact_expr(real);
      if (!item) return nullptr;
      items.push_back(*item);
    }
  } else {
    return nullptr;
  }
  return std::make_shared<const Contents>(std::move(items));
}

/// The model's own declaration of a value, before any shape rule applies.
struct Declared {
  TensorType type;
  std::shared_ptr<const Contents> contents;
};

IdVector<NodeId, bool> nodes_behind_yields(const Graph& graph) {
  std::vector<NodeId> yields;
  for (const NodeId id : IdRange<NodeId>(graph.nodes().size())) {
    if (is_yield(graph.node(id))) yields.push_back(id);
  }
  return descendants(graph.topology(), yields);
}

class Inference {
 public:
  explicit Inference(Graph graph)
      : ops_(resolve_ops(graph)),
        behind_yield_(nodes_behind_yields(graph)),
        data_(std::move(graph).take_data()),
        warned_(data_.warnings.begin(), data_.warnings.end()) {
    for (const Value& value : data_.values) declared_.push_back({value.type, nullptr});
    for (const Initializer& initializer : data_.initializers) {
      declared_[initializer.value].contents = contents_of(initializer.tensor);
    }
  }

  GraphData run() {
    const SymbolTable model_symbols = data_.symbols;
    Unifier unifier(data_.unified, model_symbols.size());
    // The loop ends after the first round that learns no equality. Few rounds are enough in
    // practice, because chains of equalities are short.
    for (int round = 0; round < 8; ++round) {
      data_.symbols = model_symbols;
      start_from_declared(unifier);
      for (const NodeId node : IdRange<NodeId>(data_.nodes.size())) infer(node);
      bool learned = false;
      for (const Constraint& each : constraints_) learned |= unifier.unify(each.a, each.b);
      if (!learned) break;
    }
    data_.unified = unifier.resolved();
    data_.constraints = std::move(constraints_);
    use_declared_names(data_, declared_names_);
    keep_used_data_dependent();
    return std::move(data_);
  }

 private:
  void start_from_declared(Unifier& unifier) {
    constraints_.clear();
    declared_names_.clear();
    data_.data_dependent.clear();
    for (const ValueId id : IdRange<ValueId>(data_.values.size())) {
      Value& value = data_.values[id];
      value.type = declared_[id].type;
      value.contents = declared_[id].contents;
      if (!value.type.shape) continue;
      for (Expr& dim : *value.type.shape) dim = unifier.apply(dim);
    }
  }

  void infer(NodeId id) {
    const Node& node = data_.nodes[id];
    const Op* const op = ops_[id];
    if (op == nullptr) return;
    std::vector<KnownInput> inputs;
    inputs.reserve(node.inputs.size());
    for (const ValueId input : node.inputs) {
      if (!input.valid()) {
        inputs.emplace_back();
        continue;
      }
      const Value& value = data_.values[input];
      inputs.push_back({&value.type, value.contents.get()});
    }
    try {
      take_all(apply_rule(*op, id, std::move(inputs)), id);
      if (is_control_flow(node)) infer_with_subgraphs(id);
    } catch (const Error& error) {
      if (!behind_yield_[id]) throw error.within(describe(node, id));
      warn(error.within(describe(node, id)).what() + std::string("; the declared types are used"));
    }
  }

  static void collect_symbols(const GraphData& data, std::unordered_set<SymbolId>& used) {
    for (const Value& value : data.values) {
      for (const Expr& dim : value.type.shape.value_or(Shape())) {
        for (const SymbolId symbol : dim.symbols()) used.insert(symbol);
      }
    }
    for (const Node& node : data.nodes) {
      for (const auto& [name, attribute] : node.attributes.items()) {
        const auto* const body = std::get_if<Subgraph>(&attribute);
        if (body != nullptr) collect_symbols((*body)->data(), used);
      }
    }
  }

  /// Keeps each data-dependent size once. Drops sizes that a declaration replaced and sizes of
  /// inputs, which do not depend on the data.
  void keep_used_data_dependent() {
    if (data_.data_dependent.empty()) return;
    std::unordered_set<SymbolId> used;
    collect_symbols(data_, used);
    std::unordered_set<SymbolId> seen;
    for (const ValueId input : data_.inputs) {
      for (const Expr& dim : data_.values[input].type.shape.value_or(Shape())) {
        for (const SymbolId symbol : dim.symbols()) seen.insert(symbol);
      }
    }
    std::erase_if(data_.data_dependent, [&](const DataDependentDim& each) {
      return !used.contains(each.symbol) || !seen.insert(each.symbol).second;
    });
  }

  void infer_with_subgraphs(NodeId id) {
    const std::string& type = data_.nodes[id].op_type;
    if (type == "If") return infer_if(id);
    if (type == "Loop") return infer_loop(id);
    if (data_.opset("") >= 9) infer_scan(id);
  }

  /// An outer value as an input of a subgraph: its type, but not its elements.
  InferredOutput known_type(ValueId id) const {
    return id.valid() ? InferredOutput{data_.values[id].type, nullptr} : InferredOutput{};
  }

  /// A unique label for a node: the name of its first output, because node names may be missing or
  /// repeated.
  std::string label(NodeId id) const {
    const Node& node = data_.nodes[id];
    const bool named = !node.outputs.empty() && node.outputs[0].valid();
    return scope_ + (named ? data_.values[node.outputs[0]].name
                           : node.op_type + "#" + std::to_string(id.index()));
  }

  Expr iterations(NodeId id, std::optional<Expr> at_most) {
    const SymbolId symbol = data_.symbols.fresh(label(id) + "_iterations");
    data_.data_dependent.push_back({symbol, std::move(at_most)});
    return Expr::symbol(symbol);
  }

  /// A Loop maps (most iterations, condition, carried values...) to the carried values, then the
  /// stacked results of the iterations. Its body maps (iteration, condition, carried values...) to
  /// (condition, carried values..., results...).
  void infer_loop(NodeId id) {
    const std::vector<ValueId> inputs = data_.nodes[id].inputs;
    std::vector<InferredOutput> given = {{{ElementType::int64, Shape(), {}}, nullptr},
                                         {{ElementType::boolean, Shape(), {}}, nullptr}};
    for (std::size_t i = 2; i < inputs.size(); ++i) given.push_back(known_type(inputs[i]));
    std::vector<InferredOutput> made = infer_body(id, "body", given);
    if (loosen(given, made, data_.symbols)) made = infer_body(id, "body", given);
    loosen(given, made, data_.symbols);
    if (made.empty()) return;
    made.erase(made.begin());
    const std::size_t carried = std::min(given.size() - 2, made.size());
    std::copy_n(given.begin() + 2, carried, made.begin());
    std::optional<Expr> most;
    if (!inputs.empty() && inputs[0].valid()) {
      const auto& known = data_.values[inputs[0]].contents;
      if (known && known->size() == 1) most = known->front();
    }
    if (carried < made.size()) stack(made, carried, {}, iterations(id, most));
    take_made(id, made);
  }

  /// A Scan maps (states..., tensors to scan...) to the states, then the stacked results.
  void infer_scan(NodeId id) {
    const Node& node = data_.nodes[id];
    const std::int64_t walked = node.attributes.require_integer("num_scan_inputs");
    if (walked < 1 || walked > std::ssize(node.inputs)) {
      fail_input("", "scans " + std::to_string(walked) + " inputs, but has " +
                         std::to_string(node.inputs.size()));
    }
    const std::size_t states = node.inputs.size() - static_cast<std::size_t>(walked);
    const Integers axes = node.attributes.integers("scan_input_axes");
    const Integers output_axes = node.attributes.integers("scan_output_axes");
    std::vector<InferredOutput> given;
    std::optional<Expr> length;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      given.push_back(known_type(node.inputs[i]));
      auto& shape = given.back().type.shape;
      if (i < states || !shape) continue;
      const auto axis = shape->begin() + axis_of(axes, i - states, std::ssize(*shape));
      length = *axis;
      shape->erase(axis);
    }
    std::vector<InferredOutput> made = infer_body(id, "body", given);
    stack(made, states, output_axes, length);
    take_made(id, made);
  }

  void take_made(NodeId id, std::vector<InferredOutput>& made) {
    const std::vector<ValueId> outputs = data_.nodes[id].outputs;
    for (std::size_t i = 0; i < std::min(made.size(), outputs.size()); ++i) {
      if (outputs[i].valid()) take(made[i], outputs[i], id);
    }
  }

  /// Sets the outputs of the node. If the condition is known, they are the outputs of the branch
  /// that runs; otherwise they have the types on which both branches agree.
  void infer_if(NodeId id) {
    const Node& node = data_.nodes[id];
    if (node.inputs.empty() || !node.inputs[0].valid()) {
      fail_input("", "has no condition");
    }
    const auto& condition = data_.values[node.inputs[0]].contents;
    const bool known = condition && condition->size() == 1 && (*condition)[0].integer();
    const bool taken = known && !(*condition)[0].is(0);
    std::vector<InferredOutput> outputs;
    if (!known || taken) outputs = infer_body(id, "then_branch", {});
    if (!known || !taken) {
      std::vector<InferredOutput> other = infer_body(id, "else_branch", {});
      known ? outputs.swap(other) : keep_common(outputs, other, data_.symbols);
    }
    take_made(id, outputs);
  }

  /// Infers a subgraph with the types of its captured values and inputs. Its declared shapes are
  /// not used, because its dimension names differ from this graph's. The node gets the inferred
  /// subgraph. Returns the outputs of the subgraph; empty if the node has no such subgraph.
  std::vector<InferredOutput> infer_body(NodeId id, const char* name,
                                         const std::vector<InferredOutput>& given) {
    const Node& node = data_.nodes[id];
    const Subgraph branch = node.attributes.subgraph(name);
    if (!branch) return {};
    Inference inner(*branch);
    inner.scope_ = label(id) + "/" + name + "/";
    inner.data_.data_dependent.clear();
    for (Value& value : inner.data_.values) value.type.shape.reset();
    for (const Initializer& each : branch->data().initializers) {
      inner.data_.values[each.value].type = branch->value(each.value).type;
      inner.data_.values[each.value].contents = inner.declared_[each.value].contents;
    }
    for (const ValueId capture : branch->data().captures) {
      for (const ValueId outside : node.captured_inputs) {
        if (data_.values[outside].name != inner.data_.values[capture].name) continue;
        inner.data_.values[capture].type = data_.values[outside].type;
        inner.data_.values[capture].contents = data_.values[outside].contents;
      }
    }
    const std::vector<ValueId>& inputs = branch->data().inputs;
    for (std::size_t i = 0; i < std::min(inputs.size(), given.size()); ++i) {
      inner.data_.values[inputs[i]].type = given[i].type;
    }
    std::swap(inner.data_.symbols, data_.symbols);
    for (const NodeId each : IdRange<NodeId>(inner.data_.nodes.size())) inner.infer(each);
    std::swap(inner.data_.symbols, data_.symbols);
    for (const Constraint& each : inner.constraints_) constraints_.push_back({each.a, each.b, id});
    data_.data_dependent.insert(data_.data_dependent.end(), inner.data_.data_dependent.begin(),
                                inner.data_.data_dependent.end());
    std::vector<InferredOutput> outputs;
    for (const ValueId output : branch->data().outputs) {
      outputs.push_back({inner.data_.values[output].type, inner.data_.values[output].contents});
    }
    inner.data_.symbols = data_.symbols;
    data_.nodes[id].attributes.set(name,
                                   Subgraph(std::make_shared<const Graph>(std::move(inner.data_))));
    return outputs;
  }

  ShapeContext apply_rule(const Op& op, NodeId id, std::vector<KnownInput> inputs) {
    const Node& node = data_.nodes[id];
    ShapeContext context(node, since_version(op, data_.opset(node.domain)), inputs, data_.symbols,
                         label(id));
    try {
      infer_outputs(op, context);
    } catch (const ShapeUnknown&) {
      // The rule threw. Types that it had already given to outputs are kept.
    } catch (const ExpressionTooLarge&) {
      // Some known contents are too large for exact expressions. The rule is applied again without
      // contents, because shapes rarely depend on such contents.
      const auto forget = [](KnownInput& input) { return std::exchange(input.contents, nullptr); };
      if (std::count_if(inputs.begin(), inputs.end(), forget) > 0) {
        return apply_rule(op, id, std::move(inputs));
      }
      for (InferredOutput& output : context.outputs()) output = {{output.type.element, {}, {}}, {}};
    }
    return context;
  }

  void take_all(ShapeContext context, NodeId id) {
    const Node& node = data_.nodes[id];
    for (const std::string& warning : context.warnings()) warn(describe(node, id) + ": " + warning);
    for (const Equality& each : context.equalities()) constraints_.push_back({each.a, each.b, id});
    data_.data_dependent.insert(data_.data_dependent.end(), context.data_dependent().begin(),
                                context.data_dependent().end());
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i].valid()) take(context.outputs()[i], node.outputs[i], id);
    }
  }

  void take(InferredOutput& inferred, ValueId id, NodeId node) {
    Value& value = data_.values[id];
    warn_of_contradiction(inferred.type, value, node);
    if (inferred.type.element != ElementType::undefined) value.type.element = inferred.type.element;
    if (inferred.type.shape) {
      if (value.type.shape) take_declared_sizes(*value.type.shape, *inferred.type.shape);
      value.type.shape = std::move(inferred.type.shape);
    }
    if (!inferred.type.opaque.empty()) value.type.opaque = std::move(inferred.type.opaque);
    value.contents = std::move(inferred.contents);
  }

  /// Replaces sizes that no rule derives by the sizes that the model declares.
  void take_declared_sizes(const Shape& declared, Shape& inferred) {
    if (declared.size() != inferred.size()) return;
    const auto is_unknown = [&](const Expr& dim) {
      const std::vector<SymbolId> used = dim.symbols();
      return used.size() == 1 && dim == Expr::symbol(used[0]) && data_.symbols.is_fresh(used[0]);
    };
    for (std::size_t axis = 0; axis < inferred.size(); ++axis) {
      if (is_unknown(inferred[axis]) && !is_unknown(declared[axis])) {
        keep_bound(inferred[axis], declared[axis]);
        inferred[axis] = declared[axis];
      }
    }
  }

  /// If the model has its own name for a data-dependent size, this name replaces the name that the
  /// rule made up, and takes over the upper bound that the rule gives for the size.
  void keep_bound(const Expr& inferred, const Expr& declared) {
    const std::vector<SymbolId> used = declared.symbols();
    if (used.size() != 1 || declared != Expr::symbol(used[0])) return;
    const auto rule = std::find_if(
        data_.data_dependent.begin(), data_.data_dependent.end(),
        [&](const DataDependentDim& each) { return inferred == Expr::symbol(each.symbol); });
    if (rule == data_.data_dependent.end()) return;
    const DataDependentDim named = {used[0], rule->at_most};
    declared_names_.emplace(rule->symbol, declared);
    data_.data_dependent.push_back(named);
  }

  void warn_of_contradiction(const TensorType& inferred, const Value& value, NodeId node) {
    const TensorType& said = value.type;
    const bool element_differs = inferred.element != said.element &&
                                 inferred.element != ElementType::undefined &&
                                 said.element != ElementType::undefined;
    bool shape_differs = false;
    if (inferred.shape && said.shape) {
      shape_differs = inferred.shape->size() != said.shape->size();
      for (std::size_t i = 0; !shape_differs && i < said.shape->size(); ++i) {
        const auto ours = (*inferred.shape)[i].integer();
        const auto theirs = (*said.shape)[i].integer();
        shape_differs = ours && theirs && *ours != *theirs;
      }
    }
    if (!element_differs && !shape_differs) return;
    warn(describe(value) + ": the declared type contradicts the type inferred for " +
         describe(data_.nodes[node], node) + "; the inferred type is used");
  }

  /// Adds a warning only once, because each round of inference repeats it.
  void warn(std::string warning) {
    if (warned_.insert(warning).second) data_.warnings.push_back(std::move(warning));
  }

  IdVector<NodeId, const Op*> ops_;
  /// Nodes of a backward pass that the model already contains. A fault in such a node gives a
  /// warning instead of an Error.
  IdVector<NodeId, bool> behind_yield_;
  GraphData data_;
  IdVector<ValueId, Declared> declared_;
  std::vector<Constraint> constraints_;
  DeclaredNames declared_names_;
  std::unordered_set<std::string> warned_;
  std::string scope_;  ///< prefix for the names of sizes in a subgraph, because values of two
                       ///< subgraphs may have equal names
};

}  // namespace

Graph infer_shapes(Graph graph) { return Graph(Inference(std::move(graph)).run()); }

}  // namespace stashscope
