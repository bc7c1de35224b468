#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <span>
#include <string>

#include "core/base/id.h"
#include "core/run/cuda/device/device.h"

namespace stashscope::cuda {

/// Convolutions by cuDNN. The first convolution opens the library, so that models without
/// convolutions do not need cuDNN.
class Convolutions {
 public:
  Convolutions();
  ~Convolutions();
  Convolutions(const Convolutions&) = delete;
  Convolutions& operator=(const Convolutions&) = delete;

  /// Works like Device::prepare; equal shapes are prepared once. Prefers deterministic algorithms.
  ConvolutionId prepare(const ConvolutionShape& shape);
  std::int64_t workspace_bytes(ConvolutionId convolution) const;
  void convolve(ConvolutionId convolution, std::span<const DevicePointer, 3> operands,
                DevicePointer workspace, cudaStream_t stream);

  /// The version of cuDNN, for example `9.19.0`; empty if cuDNN is not open.
  std::string library_version() const;

 private:
  class Library;
  class PreparedConvolution;

  std::unique_ptr<Library> library_;
  std::map<ConvolutionShape, ConvolutionId> known_;
  IdVector<ConvolutionId, std::unique_ptr<PreparedConvolution>> prepared_;
};

}  // namespace stashscope::cuda
