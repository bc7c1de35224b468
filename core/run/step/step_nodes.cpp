#include "core/run/step/step_nodes.h"

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/ops/families/control_flow.h"
#include "core/ops/families/standard_ops.h"
#include "core/run/step/given_inputs.h"
#include "core/run/step/micro_tensors.h"

namespace stashscope {

namespace {

std::vector<Node> transfer_nodes(const Graph& graph, const Dataflow& dataflow) {
  std::vector<Node> nodes(dataflow.kinds.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeId id(dataflow.graph_nodes + i);
    if (!dataflow.runs_origin(id)) nodes[i] = transfer_node(graph, dataflow, id);
  }
  return nodes;
}

std::int64_t seed_attribute(const Node& node) {
  const AttributeValue* const value = node.attributes.find("seed");
  if (const auto* const real = std::get_if<float>(value)) return static_cast<std::int64_t>(*real);
  return node.attributes.integer("seed", 0);
}

Tensor ones(ElementType element, const std::vector<std::int64_t>& dims) {
  const Tensor one = Tensor::float_scalar(element, 1);
  const TensorBytes item = one.load();
  const std::int64_t count = element_count(dims);
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(count) * item.bytes.size());
  for (std::int64_t i = 0; i < count; ++i) {
    bytes.append(reinterpret_cast<const char*>(item.bytes.data()), item.bytes.size());
  }
  return {element, dims, std::move(bytes)};
}

void collect_missing(const Graph& graph, bool (*has_kernel)(const Node&),
                     std::set<std::string>& missing) {
  for (const Node& node : graph.nodes()) {
    if (!has_kernel(node)) {
      const std::string name =
          node.domain.empty() ? node.op_type : node.domain + "." + node.op_type;
      missing.insert(printable(name, 60));
    }
    if (!is_control_flow(node)) continue;
    for (const Subgraph& body : subgraphs_of(node)) collect_missing(*body, has_kernel, missing);
  }
}

}  // namespace

StepNodes::StepNodes(const Graph& graph, const Dataflow& dataflow)
    : graph_(graph),
      dataflow_(dataflow),
      ops_(resolve_ops(graph)),
      transfers_(transfer_nodes(graph, dataflow)) {}

const Node& StepNodes::node(NodeId id) const {
  return dataflow_.runs_origin(id) ? graph_.node(dataflow_.origin(id))
                                   : transfers_[id.index() - dataflow_.graph_nodes];
}

const Op& StepNodes::op(NodeId id) const {
  return dataflow_.runs_origin(id) ? *ops_[dataflow_.origin(id)] : *standard_ops().find(node(id));
}

std::int64_t StepNodes::version(NodeId id) const {
  return since_version(op(id), graph_.opset(node(id).domain));
}

std::uint64_t StepNodes::seed(NodeId id) const {
  if (!op(id).random) return 0;
  const Node& random = node(id);
  if (random.attributes.has("seed")) return static_cast<std::uint64_t>(seed_attribute(random));
  const bool is_named = !random.outputs.empty() && random.outputs[0].valid();
  return static_cast<std::uint64_t>(
      seed_for(is_named ? graph_.value(random.outputs[0]).name : random.name));
}

std::vector<StepNodes::Returned> StepNodes::returned(NodeId yield) const {
  const auto inputs = dataflow_.topology.inputs[yield];
  const auto outputs = dataflow_.topology.outputs[yield];
  std::vector<Returned> all;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto operand = op(yield).alias(graph_, node(yield), i);
    if (!operand || !inputs[*operand].valid()) {
      fail_run("", "has no operand for output " + std::to_string(i) +
                       ", which must be the gradient of an operand");
    }
    all.push_back({outputs[i], inputs[*operand]});
  }
  return all;
}

Tensor persistent_tensor(const Graph& graph, ValueId id, const NamedTensors& inputs,
                         std::int64_t micro_batch) {
  const Value& value = graph.value(id);
  if (const GradientSum* const sum = gradient_sum_in(graph, id)) {
    return zeros(value.type.element, persistent_tensor(graph, sum->parameter, inputs).dims());
  }
  const auto given = inputs.find(value.name);
  const Initializer* const initializer = graph.initializer(id);
  if (given == inputs.end() && (initializer == nullptr || !initializer->tensor.has_data())) {
    fail_input(
        describe(value),
        initializer == nullptr ? "is a graph input without data" : "has no data in the model",
        "give the data with --inputs DIR");
  }
  if (given != inputs.end()) check_given(graph, value, given->second);
  const Tensor& tensor = given != inputs.end() ? given->second : initializer->tensor;
  if (tensor.element() == ElementType::string) {
    fail_input(describe(value), "has elements of type string, which no runner supports");
  }
  return is_split_input(graph, id) ? micro_batch_of(graph, value, tensor, micro_batch) : tensor;
}

std::map<std::string, std::int64_t> data_dependent_sizes(
    const Graph& graph, const std::function<const std::vector<std::int64_t>&(ValueId)>& dims_of) {
  std::map<std::string, std::int64_t> sizes;
  if (graph.data().data_dependent.empty()) return sizes;
  for (const ValueId id : IdRange<ValueId>(graph.values().size())) {
    const auto& shape = graph.value(id).type.shape;
    if (!shape) continue;
    const std::vector<std::int64_t>& dims = dims_of(id);
    if (shape->size() != dims.size()) continue;
    for (const DataDependentDim& each : graph.data().data_dependent) {
      const auto axis = std::find(shape->begin(), shape->end(), Expr::symbol(each.symbol));
      if (axis == shape->end()) continue;
      const auto place = static_cast<std::size_t>(axis - shape->begin());
      sizes[graph.symbols().name(each.symbol)] = dims[place];
    }
  }
  return sizes;
}

Tensor returned_gradient(const Graph& graph, ValueId output, const Tensor& like,
                         const NamedTensors& inputs) {
  const auto given = inputs.find(graph.value(output).name);
  if (given == inputs.end()) return ones(like.element(), like.dims());
  if (given->second.element() != like.element()) {
    fail_input(describe(graph.value(output)),
               "the given data has the type " + std::string(name_of(given->second.element())) +
                   ", but this YieldOp output has the type " + std::string(name_of(like.element())),
               "give data of this type");
  }
  if (given->second.dims() != like.dims()) {
    fail_input(
        describe(graph.value(output)),
        "the given data does not have the dims of this YieldOp output; give data with these dims");
  }
  return given->second;
}

void require_kernels(const Graph& graph, bool (*has_kernel)(const Node&),
                     const std::string& runner) {
  std::set<std::string> missing;
  collect_missing(graph, has_kernel, missing);
  if (missing.empty()) return;
  fail_input("", runner + " has no kernel for: " +
                     join(std::vector<std::string>(missing.begin(), missing.end()), ", "));
}

}  // namespace stashscope
