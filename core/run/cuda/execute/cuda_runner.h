#pragma once

#include "core/run/cuda/device/device.h"
#include "core/run/step/runner.h"

namespace stashscope::cuda {

/// Executes on a CUDA device: one allocation from the device's pool per buffer of the timeline, in
/// execution order, on one stream. Inputs and parameters stay on the device from `load` on, so that
/// runs of a loaded step follow each other like steps of a training.
class CudaRunner : public Runner {
 public:
  /// @param name of the device for the user, `cuda:0`
  CudaRunner(std::shared_ptr<Device> device, std::string name, const RunSettings& settings)
      : device_(std::move(device)), name_(std::move(name)), settings_(settings) {}

  void check(const Graph& graph) const override;
  std::unique_ptr<LoadedStep> load(const RunPlan& plan, const NamedTensors& inputs) const override;

 private:
  std::shared_ptr<Device> device_;
  std::string name_;
  RunSettings settings_;
};

}  // namespace stashscope::cuda
