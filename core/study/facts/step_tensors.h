#pragma once

#include <optional>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// One band for each buffer of a variant of the study's step, see bands.h.
IdVector<BufferId, Band> band_of_buffers(const Study& study, const Variant& variant);

/// The buffers of the current variant over the whole step, with their bands.
struct StepTensors {
  std::vector<BufferId> largest_first;  ///< without empty buffers
  /// The band of each buffer for its whole life, see `band_of_buffers`.
  IdVector<BufferId, Band> band;
};
StepTensors step_tensors(const Study& study);

/// The last node of the current order that reads each buffer; invalid for buffers that no node
/// reads.
IdVector<BufferId, NodeId> last_readers(const Study& study);

/// The buffers of the outputs of a node of the current dataflow, largest first, without persistent
/// ones. A node that works in place shares the buffer of its input.
std::vector<BufferId> buffers_made_by(const Study& study, NodeId node);

/// The module of the node that makes a value of the current variant. If no node makes the value,
/// the module of the value's first reader. May be empty.
std::string module_of_tensor(const Study& study, ValueId value);

}  // namespace stashscope
