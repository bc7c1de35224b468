#pragma once

#include <functional>
#include <string_view>

#include "core/run/step/runner.h"

namespace stashscope {

/// Reports the progress of a step, every 64 slots. Throws a `cancelled` Error once cancelled.
void report_slot(const Progress& progress, std::size_t slot, std::size_t slots,
                 std::string_view stage);

/// Collects the graph outputs of a run. An output that is released before the end of the step is
/// read right after its node, before its memory is used for other data. Keeps a reference to the
/// plan.
class StepOutputs {
 public:
  /// @param read returns the current elements of a value
  StepOutputs(const RunPlan& plan, std::function<Tensor(ValueId)> read);

  bool is_released(ValueId output) const { return is_released_[output]; }
  /// Reads the released outputs of a node that has just ended.
  void take_released(NodeId node);
  /// Reads the remaining outputs, returns all outputs by name and forgets them.
  NamedTensors take_all();
  /// Forgets the outputs of a failed run.
  void clear() { outputs_.clear(); }

 private:
  void take(ValueId output);

  const RunPlan& plan_;
  std::function<Tensor(ValueId)> read_;
  IdVector<ValueId, bool> is_released_;
  NamedTensors outputs_;
};

}  // namespace stashscope
