#pragma once

#include <memory>

#include "core/run/cuda/device/device.h"
#include "emulated_device.h"

namespace stashscope::testing_run {

/// The device for tests of kernels and steps: an emulated device per test, or the real one named by
/// the environment variable STASHSCOPE_TEST_DEVICE (`cuda:0`), which all tests share. Names of
/// tests that need the emulation, a compiler and these sources start with Emulated.
std::shared_ptr<cuda::Device> test_device(
    EmulatedDevice::TextCheck check = EmulatedDevice::TextCheck::for_devices);

/// Whether the device is real; its functions round differently from the host's.
bool tests_run_on_gpu();

}  // namespace stashscope::testing_run
