#pragma once

#include "core/run/runner.h"

namespace stashscope::cpu {

/// Executes on the processor: one allocation per buffer of the timeline, released when the last
/// value in it has been read for the last time.
class CpuRunner : public Runner {
 public:
  void check(const Graph& graph) const override;
  RunResult run(const RunPlan& plan, const NamedTensors& inputs, const TraceSink& sink,
                const Progress& progress) const override;
};

}  // namespace stashscope::cpu
