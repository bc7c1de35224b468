#pragma once

#include <unordered_map>
#include <vector>

#include "core/run/shared/kernel.h"
#include "core/run/step/step_nodes.h"

namespace stashscope::cuda {

/// Which values the host must know before a step runs: shapes and other operands that decide what
/// is done, and all that they are computed from.
struct HostNeeds {
  IdVector<ValueId, bool> values;
  IdVector<NodeId, bool> nodes;  ///< makes such a value, so that the host computes it
};

/// @param nodes of the plan's step
HostNeeds host_needs(const RunPlan& plan, const StepNodes& nodes);

/// Values whose elements are in the memory of the host, computed there by the CPU kernels.
class HostValues {
 public:
  /// Room for a value, of elements that are not set.
  const kernels::TensorView& add(ValueId value, ElementType element,
                                 const std::vector<std::int64_t>& dims);
  void add(ValueId value, const Tensor& tensor);

  /// Null where the host does not know the value.
  const kernels::TensorView* find(ValueId value) const;

 private:
  struct Entry {
    std::vector<std::byte> bytes;
    kernels::TensorView view;
  };
  std::unordered_map<ValueId, Entry> entries_;
};

}  // namespace stashscope::cuda
