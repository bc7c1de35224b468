#pragma once

#include "core/run/cuda/device/device.h"

namespace stashscope::testing_run {

/// Computes Device::multiply with sums in double.
void reference_multiply(const cuda::MatmulShape& shape, std::byte* a, std::byte* b, std::byte* bias,
                        std::byte* d);

/// Computes Device::convolve with sums in double.
void reference_convolve(const cuda::ConvolutionShape& shape,
                        std::span<const cuda::DevicePointer, 3> operands);

/// Bytes that the matrices of a whole batch span.
std::int64_t bytes_of_a(const cuda::MatmulShape& shape);
std::int64_t bytes_of_b(const cuda::MatmulShape& shape);
std::int64_t bytes_of_d(const cuda::MatmulShape& shape);

/// Dims of a convolution's operands, in the order of its pass.
std::array<std::vector<std::int64_t>, 3> dims_of_operands(const cuda::ConvolutionShape& shape);

}  // namespace stashscope::testing_run
