#pragma once

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <map>
#include <memory>

#include "core/base/id.h"
#include "core/run/cuda/device/device.h"

namespace stashscope::cuda {

/// The operands of a product; `bias` is null if the product has no bias.
struct MatmulOperands {
  DevicePointer a = nullptr;
  DevicePointer b = nullptr;
  DevicePointer bias = nullptr;
  DevicePointer d = nullptr;
  DevicePointer workspace = nullptr;
};

/// Matrix products by cuBLASLt. The library's matrices are column-major, so a row-major D is the
/// library's D^T, which it computes as op(B)^T op(A)^T. Partial sums are added in a fixed order.
class Matmuls {
 public:
  Matmuls();
  ~Matmuls();
  Matmuls(const Matmuls&) = delete;
  Matmuls& operator=(const Matmuls&) = delete;

  /// Works like Device::prepare; equal shapes are prepared once.
  MatmulId prepare(const MatmulShape& shape);
  std::int64_t workspace_bytes(MatmulId matmul) const;
  void multiply(MatmulId matmul, const MatmulOperands& operands, cudaStream_t stream);

  /// The version of cuBLASLt, for example `13.1.0`.
  static std::string library_version();

 private:
  class Product;

  cublasLtHandle_t handle_ = nullptr;
  std::map<MatmulShape, MatmulId> known_;
  IdVector<MatmulId, std::unique_ptr<Product>> products_;
};

}  // namespace stashscope::cuda
