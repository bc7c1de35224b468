#include "core/run/cuda/execute/host_values.h"

#include <cstring>
#include <ranges>

#include "core/run/cuda/codegen/lowering.h"
#include "core/run/cuda/ops/standard_kernels.h"

namespace stashscope::cuda {

namespace {

/// Whether the node's outputs depend only on the dims of its inputs.
bool reads_dims_only(const Node& node) {
  return node.domain.empty() && (node.op_type == "Shape" || node.op_type == "Size");
}

class NeedsCollector {
 public:
  NeedsCollector(const RunPlan& plan, const StepNodes& nodes)
      : topology_(plan.dataflow.topology),
        nodes_(nodes),
        needs_{IdVector<ValueId, bool>(topology_.values(), false),
               IdVector<NodeId, bool>(topology_.nodes(), false)} {}

  HostNeeds collect(const std::vector<NodeId>& order) {
    for (const NodeId node : std::views::reverse(order)) visit(node);
    return std::move(needs_);
  }

 private:
  void visit(NodeId id) {
    const Node& node = nodes_.node(id);
    for (const ValueId output : topology_.outputs[id]) {
      if (needs_.values[output]) needs_.nodes[id] = true;
    }
    const CudaKernel* const kernel = standard_kernels().find(node);
    const bool is_dims = reads_dims_only(node);
    if (is_dims) needs_.nodes[id] = true;
    const auto inputs = topology_.inputs[id];
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const bool is_needed =
          (needs_.nodes[id] && !is_dims) || (kernel != nullptr && is_host_input(*kernel, node, i));
      if (is_needed && inputs[i].valid()) needs_.values[inputs[i]] = true;
    }
  }

  const Topology& topology_;
  const StepNodes& nodes_;
  HostNeeds needs_;
};

}  // namespace

HostNeeds host_needs(const RunPlan& plan, const StepNodes& nodes) {
  return NeedsCollector(plan, nodes).collect(plan.timeline.order);
}

const kernels::TensorView& HostValues::add(ValueId value, ElementType element,
                                           const std::vector<std::int64_t>& dims) {
  Entry& entry = entries_[value];
  // Adds one byte, so that a tensor without elements has an address too.
  entry.bytes.resize(static_cast<std::size_t>(packed_bytes(element, element_count(dims))) + 1);
  entry.view = {element, dims, entry.bytes.data()};
  return entry.view;
}

void HostValues::add(ValueId value, const Tensor& tensor) {
  const kernels::TensorView& view = add(value, tensor.element(), tensor.dims());
  const TensorBytes data = tensor.load();
  std::memcpy(view.data, data.bytes.data(), data.bytes.size());
}

const kernels::TensorView* HostValues::find(ValueId value) const {
  const auto found = entries_.find(value);
  return found == entries_.end() ? nullptr : &found->second.view;
}

}  // namespace stashscope::cuda
