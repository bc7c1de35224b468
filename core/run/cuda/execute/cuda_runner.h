#pragma once

#include "core/run/cuda/device/device.h"
#include "core/run/step/runner.h"

namespace stashscope::cuda {

/// Executes training steps on a CUDA device. Makes one allocation for each buffer of the timeline,
/// from a pool of the device, in execution order and on one stream. Inputs and parameters stay on
/// the device after `load`; repeated runs of a loaded step are like consecutive steps of a
/// training.
class CudaRunner : public Runner {
 public:
  /// @param name the device's name in reports, such as `cuda:0`
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
