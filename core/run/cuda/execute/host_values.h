#pragma once

#include <unordered_map>
#include <vector>

#include "core/run/shared/kernel.h"
#include "core/run/step/step_nodes.h"

namespace stashscope::cuda {

/// The values that the host must know before a step runs: operands on which the generated kernels
/// depend, such as shapes, and all values from which such operands are computed.
struct HostNeeds {
  IdVector<ValueId, bool> values;
  /// Nodes that the host computes: those that make such values, and all Shape and Size nodes.
  IdVector<NodeId, bool> nodes;
};

/// @param nodes the nodes of the plan's step
HostNeeds host_needs(const RunPlan& plan, const StepNodes& nodes);

/// Values whose elements are in host memory: given tensors, and results of CPU kernels.
class HostValues {
 public:
  /// Adds a value whose elements are zeros. A CPU kernel writes its results through the returned
  /// view.
  const kernels::TensorView& add(ValueId value, ElementType element,
                                 const std::vector<std::int64_t>& dims);
  void add(ValueId value, const Tensor& tensor);

  /// Null when the host does not know the value.
  const kernels::TensorView* find(ValueId value) const;

 private:
  struct Entry {
    std::vector<std::byte> bytes;
    kernels::TensorView view;
  };
  std::unordered_map<ValueId, Entry> entries_;
};

}  // namespace stashscope::cuda
