#pragma once

#include "core/run/step/runner.h"

namespace stashscope::cpu {

/// Executes steps on the CPU. Makes one allocation per buffer of the timeline. Releases a buffer
/// after the last read of its last value, except persistent buffers and graph outputs that outlive
/// the step.
class CpuRunner : public Runner {
 public:
  void check(const Graph& graph) const override;
  std::unique_ptr<LoadedStep> load(const RunPlan& plan, const NamedTensors& inputs) const override;
};

}  // namespace stashscope::cpu
