#pragma once

#include "core/run/step/runner.h"

namespace stashscope::cpu {

/// Executes on the CPU: one allocation per buffer of the timeline, released after the last read of
/// the last value in it.
class CpuRunner : public Runner {
 public:
  void check(const Graph& graph) const override;
  std::unique_ptr<LoadedStep> load(const RunPlan& plan, const NamedTensors& inputs) const override;
};

}  // namespace stashscope::cpu
