#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <span>
#include <string>

#include "core/base/id.h"
#include "core/run/cuda/device/device.h"

namespace stashscope::cuda {

/// Convolutions by cuDNN, whose library is opened with the first one: models without convolutions
/// need none.
class Convolutions {
 public:
  Convolutions();
  ~Convolutions();
  Convolutions(const Convolutions&) = delete;
  Convolutions& operator=(const Convolutions&) = delete;

  /// As Device does; equal shapes are prepared once. Algorithms that make the same bits each time
  /// come first.
  ConvolutionId prepare(const ConvolutionShape& shape);
  std::int64_t workspace_bytes(ConvolutionId convolution) const;
  void convolve(ConvolutionId convolution, std::span<const DevicePointer, 3> operands,
                DevicePointer workspace, cudaStream_t stream);

  /// `9.19.0`; empty when no library has been opened.
  std::string library_version() const;

 private:
  class Library;
  class PreparedConvolution;

  std::unique_ptr<Library> library_;
  std::map<ConvolutionShape, ConvolutionId> known_;
  IdVector<ConvolutionId, std::unique_ptr<PreparedConvolution>> prepared_;
};

}  // namespace stashscope::cuda
