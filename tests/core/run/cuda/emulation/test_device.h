#pragma once

#include <memory>

#include "core/run/cuda/device/device.h"
#include "emulated_device.h"

namespace stashscope::testing_run {

/// What the tests of kernels and steps run on: an emulated device of their own, or the real one
/// that the environment's STASHSCOPE_TEST_DEVICE names (`cuda:0`), which all tests share. Names of
/// tests that need the emulation, a compiler and these sources start with Emulated.
std::shared_ptr<cuda::Device> test_device(
    EmulatedDevice::TextCheck check = EmulatedDevice::TextCheck::for_devices);

/// Whether it is a real one, whose functions round otherwise than those of the host.
bool tests_run_on_gpu();

}  // namespace stashscope::testing_run
