#pragma once

// Forward models with results of other programs, on the device of the tests.

#include "tests/core/run/cuda/execute/as_on_cpu.h"
#include "tests/core/run/models/forward_model.h"
#include "tests/support/sanitizer.h"

namespace stashscope::testing_run {

class CudaForwardModel : public ForwardModel {
 protected:
  /// Skips models without files, and in a sanitized build those that take too long.
  void SetUp() override {
    ForwardModel::SetUp();
    if (IsSkipped()) return;
    if (test::sanitized && !runs_sanitized()) GTEST_SKIP() << "takes too long with a sanitizer";
    set_ = tensors(1, "grad_").empty() ? 0 : 1;  // data set 1 is the smaller one
    inputs_ = tensors(set_, "input_");
  }

  virtual bool runs_sanitized() const { return false; }

  RunResult run(const RunPlan& plan) const { return run_on_test_device(plan, inputs_); }

  int set_ = 0;
  NamedTensors inputs_;
};

}  // namespace stashscope::testing_run
