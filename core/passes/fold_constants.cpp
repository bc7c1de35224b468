// Values that are the same in every training step become constants: integers that shape inference
// knows, and the results of nodes that read only constants.

#include <algorithm>
#include <unordered_map>

#include "core/base/error.h"
#include "core/ops/families/standard_ops.h"
#include "core/ops/rules/op.h"
#include "core/passes/graph_pass.h"

namespace stashscope {

namespace {

/// A constant takes memory for the whole training step, so a large value is better computed on
/// demand.
constexpr std::int64_t max_folded_bytes = 1 << 16;

std::optional<std::vector<std::int64_t>> static_dims(const TensorType& type) {
  if (!type.shape) return std::nullopt;
  std::vector<std::int64_t> dims;
  for (const Expr& dim : *type.shape) {
    const auto number = dim.integer();
    if (!number) return std::nullopt;
    dims.push_back(*number);
  }
  return dims;
}

template <class T>
std::string packed(const std::vector<std::int64_t>& numbers) {
  std::string raw;
  for (const std::int64_t number : numbers) {
    const auto item = static_cast<T>(number);
    raw.append(reinterpret_cast<const char*>(&item), sizeof(T));
  }
  return raw;
}

/// The numbers as bytes of type `element`. Nothing for types other than int64, int32, boolean and
/// float32, and nothing if float32 might round a number.
std::optional<std::string> packed_as(ElementType element,
                                     const std::vector<std::int64_t>& numbers) {
  constexpr std::int64_t exact_in_float = 1 << 24;
  switch (element) {
    case ElementType::int64:
      return packed<std::int64_t>(numbers);
    case ElementType::int32:
      return packed<std::int32_t>(numbers);
    case ElementType::boolean:
      return packed<std::uint8_t>(numbers);
    case ElementType::float32: {
      const bool exact = std::all_of(numbers.begin(), numbers.end(), [](std::int64_t number) {
        return -exact_in_float <= number && number <= exact_in_float;
      });
      return exact ? std::optional(packed<float>(numbers)) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

/// The only output of a node, if it may become an initializer; else invalid.
ValueId foldable_output(const Rewriter& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (graph.is_removed(id) || node.outputs.empty() || !node.outputs[0].valid()) return ValueId();
  for (std::size_t i = 1; i < node.outputs.size(); ++i) {
    if (node.outputs[i].valid()) return ValueId();
  }
  return graph.is_graph_output(node.outputs[0]) ? ValueId() : node.outputs[0];
}

bool fold_known(Rewriter& graph, NodeId id) {
  const ValueId output = foldable_output(graph, id);
  if (!output.valid()) return false;
  const auto numbers = graph.integers(output);
  const auto dims = static_dims(graph.type(output));
  if (!numbers || !dims) return false;
  auto raw = packed_as(graph.type(output).element, *numbers);
  if (!raw) return false;
  graph.make_constant(output, Tensor(graph.type(output).element, *dims, std::move(*raw)));
  return true;
}

/// The nodes whose results depend only on constants, as a separate graph.
class ConstantPart {
 public:
  ConstantPart(const Rewriter& graph, const ConstantEvaluator& evaluator)
      : graph_(graph), evaluator_(evaluator) {
    part_.opsets = graph.original().data().opsets;
    for (const NodeId id : IdRange<NodeId>(graph.node_count())) {
      if (is_constant(id)) add(id);
    }
    for (const NodeId id : nodes_) add_output(id);
  }

  const std::vector<ValueId>& wanted() const { return wanted_; }
  Graph take() { return Graph(std::move(part_)); }

 private:
  bool is_constant(NodeId id) const {
    const ValueId output = foldable_output(graph_, id);
    const Node& node = graph_.node(id);
    if (!output.valid() || !graph_.is_fixed(output) || !evaluator_.knows(node)) return false;
    const Op* const op = standard_ops().find(node);
    const auto dims = static_dims(graph_.type(output));
    if (op == nullptr || op->infer == nullptr || !dims) return false;
    if (packed_bytes(graph_.type(output).element, element_count(*dims)) > max_folded_bytes) {
      return false;
    }
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) {
      const Tensor* const tensor = graph_.constant(input);
      return !input.valid() || (tensor != nullptr && tensor->has_data()) || moved_.contains(input);
    });
  }

  void add(NodeId id) {
    Node copy = graph_.node(id);
    for (ValueId& input : copy.inputs) {
      if (!input.valid()) continue;
      const bool is_new = !moved_.contains(input);
      const Tensor* const tensor = graph_.constant(input);
      input = moved(input);
      if (is_new) part_.initializers.push_back({input, *tensor, true});
    }
    copy.outputs = {moved(copy.outputs[0])};
    part_.nodes.push_back(std::move(copy));
    nodes_.push_back(id);
  }

  /// Marks the output of a node to become a constant if the output is needed outside of this
  /// ConstantPart: a node of the remaining graph reads the output, or a subgraph captures it.
  void add_output(NodeId id) {
    const ValueId output = graph_.node(id).outputs[0];
    const auto& readers = graph_.readers(output);
    const bool read_outside = std::any_of(readers.begin(), readers.end(), [&](NodeId reader) {
      return !std::binary_search(nodes_.begin(), nodes_.end(), reader);
    });
    if (!read_outside && !graph_.keeps(output)) return;
    wanted_.push_back(output);
    part_.outputs.push_back(moved_.at(output));
  }

  ValueId moved(ValueId id) {
    const auto [entry, is_new] = moved_.try_emplace(id);
    if (is_new) entry->second = part_.add_value(graph_.value(id).name, graph_.type(id));
    return entry->second;
  }

  const Rewriter& graph_;
  const ConstantEvaluator& evaluator_;
  GraphData part_;
  std::unordered_map<ValueId, ValueId> moved_;
  std::vector<NodeId> nodes_;
  std::vector<ValueId> wanted_;
};

std::size_t fold_computed(Rewriter& graph, const ConstantEvaluator& evaluator) {
  if (evaluator.run == nullptr) return 0;
  ConstantPart part(graph, evaluator);
  if (part.wanted().empty()) return 0;
  try {
    const auto results = evaluator.run(part.take());
    for (const ValueId id : part.wanted()) {
      graph.make_constant(id, results.at(graph.value(id).name));
    }
  } catch (const Error&) {
    // If one node cannot be computed, no node of `part` is folded. A later run of the step reports
    // the fault.
    return 0;
  }
  return part.wanted().size();
}

}  // namespace

std::size_t fold_constants(Rewriter& graph, const PassContext& context) {
  std::size_t folded = 0;
  for (const NodeId id : IdRange<NodeId>(graph.node_count())) folded += fold_known(graph, id);
  return folded + fold_computed(graph, context.selection.evaluator);
}

}  // namespace stashscope
