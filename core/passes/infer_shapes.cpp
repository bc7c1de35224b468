#include "core/passes/infer_shapes.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/error.h"
#include "core/graph/traversal.h"
#include "core/ops/op.h"
#include "core/ops/shape_context.h"
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

/// What the model itself says of a value, before any rule.
struct Declared {
  TensorType type;
  std::shared_ptr<const Contents> contents;
};

class Inference {
 public:
  explicit Inference(const Graph& graph)
      : graph_(graph),
        data_(graph.data()),
        ops_(resolve_ops(graph)),
        warned_(data_.warnings.begin(), data_.warnings.end()) {
    for (const Value& value : data_.values) declared_.push_back({value.type, nullptr});
    for (const Initializer& initializer : data_.initializers) {
      declared_[initializer.value].contents = contents_of(initializer.tensor);
    }
    std::vector<NodeId> yields;
    for (const NodeId id : IdRange<NodeId>(data_.nodes.size())) {
      if (data_.nodes[id].op_type == "YieldOp") yields.push_back(id);
    }
    behind_yield_ = descendants(graph.topology(), yields);
  }

  GraphData run() {
    const SymbolTable model_symbols = data_.symbols;
    Unifier unifier(data_.unified, model_symbols.size());
    // Every round learns at least one equality; chains of them are short in practice.
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
    return std::move(data_);
  }

 private:
  void start_from_declared(Unifier& unifier) {
    constraints_.clear();
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
    if (node.op_type == "If" && node.domain.empty()) return infer_if(id);
    if (op == nullptr || op->infer == nullptr) return;
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
      take_all(apply_rule(*op, node, std::move(inputs)), id);
    } catch (const Error& error) {
      if (!behind_yield_[id]) throw error.within(describe(node, id));
      warn(error.within(describe(node, id)).what() + std::string("; its declared type is used"));
    }
  }

  /// The outputs are those of the branch that is taken, or what both branches agree on.
  void infer_if(NodeId id) {
    const Node& node = data_.nodes[id];
    if (node.inputs.empty() || !node.inputs[0].valid()) {
      fail_input(describe(node, id), "lacks its condition");
    }
    const auto& condition = data_.values[node.inputs[0]].contents;
    const bool known = condition && condition->size() == 1 && (*condition)[0].integer();
    const bool taken = known && !(*condition)[0].is(0);
    std::vector<InferredOutput> outputs;
    if (!known || taken) outputs = infer_branch(id, "then_branch");
    if (!known || !taken) {
      std::vector<InferredOutput> other = infer_branch(id, "else_branch");
      known ? outputs.swap(other) : keep_common(outputs, other);
    }
    for (std::size_t i = 0; i < std::min(outputs.size(), node.outputs.size()); ++i) {
      if (node.outputs[i].valid()) take(outputs[i], node.outputs[i], id);
    }
  }

  /// A branch is inferred with the types of what it captures. Its own dimension names are not those
  /// of this graph, so what it declares is not used.
  std::vector<InferredOutput> infer_branch(NodeId id, const char* name) {
    const Node& node = data_.nodes[id];
    const Subgraph branch = node.attributes.subgraph(name);
    if (!branch) return {};
    Inference inner(*branch);
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
    std::swap(inner.data_.symbols, data_.symbols);
    for (const NodeId each : IdRange<NodeId>(inner.data_.nodes.size())) inner.infer(each);
    std::swap(inner.data_.symbols, data_.symbols);
    for (const Constraint& each : inner.constraints_) constraints_.push_back({each.a, each.b, id});
    std::vector<InferredOutput> outputs;
    for (const ValueId output : branch->data().outputs) {
      outputs.push_back({inner.data_.values[output].type, inner.data_.values[output].contents});
    }
    return outputs;
  }

  /// Dims on which two branches differ are unknown; different ranks leave the shape unknown.
  void keep_common(std::vector<InferredOutput>& outputs, const std::vector<InferredOutput>& other) {
    for (std::size_t i = 0; i < std::min(outputs.size(), other.size()); ++i) {
      outputs[i].contents.reset();
      auto& shape = outputs[i].type.shape;
      const auto& second = other[i].type.shape;
      if (!shape || !second || shape->size() != second->size()) {
        shape.reset();
        continue;
      }
      for (std::size_t axis = 0; axis < shape->size(); ++axis) {
        if ((*shape)[axis] != (*second)[axis]) {
          (*shape)[axis] = Expr::symbol(data_.symbols.fresh());
        }
      }
    }
  }

  ShapeContext apply_rule(const Op& op, const Node& node, std::vector<KnownInput> inputs) {
    ShapeContext context(node, since_version(op, graph_.opset(node.domain)), inputs, data_.symbols);
    try {
      op.infer(context);
    } catch (const ShapeUnknown&) {
      // What the rule set before it needed more stays.
    } catch (const ExpressionTooLarge&) {
      // Powers of odd numbers outgrow exact arithmetic; sizes seldom depend on such elements.
      const auto forget = [](KnownInput& input) { return std::exchange(input.contents, nullptr); };
      if (std::count_if(inputs.begin(), inputs.end(), forget) > 0) {
        return apply_rule(op, node, std::move(inputs));
      }
      for (InferredOutput& output : context.outputs()) output = {{output.type.element, {}, {}}, {}};
    }
    return context;
  }

  void take_all(ShapeContext context, NodeId id) {
    const Node& node = data_.nodes[id];
    for (const std::string& warning : context.warnings()) warn(describe(node, id) + ": " + warning);
    for (const Equality& each : context.equalities()) constraints_.push_back({each.a, each.b, id});
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i].valid()) take(context.outputs()[i], node.outputs[i], id);
    }
  }

  void take(InferredOutput& inferred, ValueId id, NodeId node) {
    Value& value = data_.values[id];
    warn_of_contradiction(inferred.type, value, node);
    if (inferred.type.element != ElementType::undefined) value.type.element = inferred.type.element;
    if (inferred.type.shape) value.type.shape = std::move(inferred.type.shape);
    if (!inferred.type.opaque.empty()) value.type.opaque = std::move(inferred.type.opaque);
    value.contents = std::move(inferred.contents);
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
    warn(describe(value) + ": the declared type contradicts that of " +
         describe(data_.nodes[node], node) + "; the latter is used");
  }

  /// Each round of inference meets the same oddities again.
  void warn(std::string warning) {
    if (warned_.insert(warning).second) data_.warnings.push_back(std::move(warning));
  }

  const Graph& graph_;
  GraphData data_;
  IdVector<NodeId, const Op*> ops_;
  /// A given backward pass is read, not judged: what its nodes declare is enough.
  IdVector<NodeId, bool> behind_yield_;
  IdVector<ValueId, Declared> declared_;
  std::vector<Constraint> constraints_;
  std::unordered_set<std::string> warned_;
};

}  // namespace

Graph infer_shapes(const Graph& graph) { return Graph(Inference(graph).run()); }

}  // namespace stashscope
