#pragma once

#include "core/run/cpu/primitives/shared_names.h"
#include "core/run/shared/convolution_sizes.h"

namespace stashscope::cpu::onednn {

// float32 products and convolutions by oneDNN. The order of additions depends only on the sizes,
// never on addresses.

/// The layout of a matrix: the elements of a row (of a column, if transposed) are contiguous, and
/// rows (columns) start `stride` elements apart.
struct MatrixLayout {
  bool transposed = false;
  std::int64_t stride = 0;
};

/// The sizes of a product of a [rows, inner] and b [inner, columns].
struct ProductSizes {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t inner;
};

/// product = a b, or product += a b if `adds`; the product is dense.
void multiply(const ProductSizes& sizes, const float* a, MatrixLayout a_layout, const float* b,
              MatrixLayout b_layout, bool adds, float* product);

/// While an object lives, products of the calling thread use this thread only. For many small
/// products, waiting for other threads costs more than they save.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

/// Whether oneDNN supports the convolution.
bool can_convolve(const ConvolutionSizes& sizes);
/// Tensors are dense: data [batch, channels, ...], weight [out channels, in channels / groups,
/// ...].
void convolve(const ConvolutionSizes& sizes, const float* data, const float* weight, float* result);
void convolve_backward_data(const ConvolutionSizes& sizes, const float* gradient,
                            const float* weight, float* data_gradient);
void convolve_backward_weight(const ConvolutionSizes& sizes, const float* gradient,
                              const float* data, float* weight_gradient);

}  // namespace stashscope::cpu::onednn
