#pragma once

#include "core/run/step/runner.h"

namespace stashscope::cpu {

/// Executes on the processor: one allocation per buffer of the timeline, released when the last
/// value in it has been read for the last time.
class CpuRunner : public Runner {
 public:
  void check(const Graph& graph) const override;
  std::unique_ptr<LoadedStep> load(const RunPlan& plan, const NamedTensors& inputs) const override;
};

}  // namespace stashscope::cpu
