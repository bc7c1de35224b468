#pragma once

#include <memory>

#include "core/run/cuda/device.h"

namespace stashscope::testing_run {

/// What the tests of kernels and steps run on: an emulated device of their own, or the real one
/// that the environment's STASHSCOPE_TEST_DEVICE names (`cuda:0`), which all tests share.
std::shared_ptr<cuda::Device> test_device();

/// Whether it is a real one, whose functions round otherwise than those of the host.
bool tests_run_on_gpu();

}  // namespace stashscope::testing_run
