#pragma once

#include "core/run/cpu/primitives/matrix.h"
#include "core/run/shared/convolution_sizes.h"

namespace stashscope::cpu {

/// A convolution as matrix products (im2col), one for each image and group. The unfolded matrix of
/// one group has a row for each pair of an input channel and a kernel position, and a column for
/// each output position. (Chellapilla, Puri and Simard, "High performance convolutional neural
/// networks for document processing", 2006)
template <class T>
class UnfoldedConvolution {
 public:
  explicit UnfoldedConvolution(const ConvolutionSizes& sizes)
      : sizes_(sizes),
        in_(positions(sizes.window.in)),
        out_(positions(sizes.window.out)),
        kernel_(positions(sizes.window.kernel)),
        group_in_(sizes.in_channels / sizes.groups),
        group_out_(sizes.out_channels / sizes.groups),
        columns_(static_cast<std::size_t>(group_in_ * kernel_ * out_)) {}
  explicit UnfoldedConvolution(ConvolutionSizes&& sizes) = delete;

  void forward(const T* data, const T* weight, T* result) {
    for_each_group([&](std::int64_t data_at, std::int64_t weight_at, std::int64_t result_at) {
      unfold(data + data_at);
      multiply(weight_matrix(weight + weight_at), unfolded(), result + result_at);
    });
  }

  void backward_data(const T* gradient, const T* weight, T* data_gradient) {
    std::fill_n(data_gradient, sizes_.batch * sizes_.in_channels * in_, T(0));
    for_each_group([&](std::int64_t data_at, std::int64_t weight_at, std::int64_t result_at) {
      multiply(weight_matrix(weight + weight_at).transposed(), result_matrix(gradient + result_at),
               columns_.data());
      fold(data_gradient + data_at);
    });
  }

  void backward_weight(const T* gradient, const T* data, T* weight_gradient) {
    const std::int64_t count = group_out_ * group_in_ * kernel_;
    std::fill_n(weight_gradient, sizes_.groups * count, T(0));
    std::vector<T> part(static_cast<std::size_t>(count));
    for_each_group([&](std::int64_t data_at, std::int64_t weight_at, std::int64_t result_at) {
      unfold(data + data_at);
      multiply(result_matrix(gradient + result_at), unfolded().transposed(), part.data());
      T* const sum = weight_gradient + weight_at;
      for (std::size_t i = 0; i < part.size(); ++i) sum[i] += part[i];
    });
  }

 private:
  /// Calls `body(offset in the data, offset in the weight, offset in the result)` for each group of
  /// each image.
  template <class Body>
  void for_each_group(Body body) const {
    for (std::int64_t image = 0; image < sizes_.batch; ++image) {
      for (std::int64_t group = 0; group < sizes_.groups; ++group) {
        const std::int64_t nth = image * sizes_.groups + group;
        body(nth * group_in_ * in_, group * group_out_ * group_in_ * kernel_,
             nth * group_out_ * out_);
      }
    }
  }

  Matrix<T> weight_matrix(const T* weight) const {
    return dense_matrix(weight, group_out_, group_in_ * kernel_);
  }
  Matrix<T> result_matrix(const T* result) const { return dense_matrix(result, group_out_, out_); }
  Matrix<T> unfolded() const { return dense_matrix(columns_.data(), group_in_ * kernel_, out_); }

  /// Calls `body(entry of the unfolded matrix, element of the data)` for each entry that has an
  /// element. Entries of the padding have none.
  template <class Body, class Data>
  void for_each_entry(Data* data, Body body) {
    for (std::int64_t channel = 0; channel < group_in_; ++channel) {
      for_each_kernel_position(sizes_.window, [&](std::int64_t k, const auto& at) {
        T* const row = columns_.data() + (channel * kernel_ + k) * out_;
        Data* const plane = data + channel * in_;
        for_each_meeting(sizes_.window, at,
                         [&](std::int64_t out, std::int64_t in) { body(row[out], plane[in]); });
      });
    }
  }

  void unfold(const T* data) {
    std::fill(columns_.begin(), columns_.end(), T(0));
    for_each_entry(data, [](T& entry, T item) { entry = item; });
  }

  void fold(T* data_gradient) {
    for_each_entry(data_gradient, [](T entry, T& item) { item += entry; });
  }

  const ConvolutionSizes& sizes_;
  std::int64_t in_;
  std::int64_t out_;
  std::int64_t kernel_;
  std::int64_t group_in_;
  std::int64_t group_out_;
  std::vector<T> columns_;
};

/// Tensors are dense. Uses oneDNN for float where it supports the sizes, else matrix products.
template <class T>
void convolve(const ConvolutionSizes& sizes, const T* data, const T* weight, T* result) {
  if constexpr (std::is_same_v<T, float>) {
    if (onednn::can_convolve(sizes)) return onednn::convolve(sizes, data, weight, result);
  }
  UnfoldedConvolution<T>(sizes).forward(data, weight, result);
}

template <class T>
void convolve_backward_data(const ConvolutionSizes& sizes, const T* gradient, const T* weight,
                            T* data_gradient) {
  if constexpr (std::is_same_v<T, float>) {
    if (onednn::can_convolve(sizes)) {
      return onednn::convolve_backward_data(sizes, gradient, weight, data_gradient);
    }
  }
  UnfoldedConvolution<T>(sizes).backward_data(gradient, weight, data_gradient);
}

template <class T>
void convolve_backward_weight(const ConvolutionSizes& sizes, const T* gradient, const T* data,
                              T* weight_gradient) {
  if constexpr (std::is_same_v<T, float>) {
    if (onednn::can_convolve(sizes)) {
      return onednn::convolve_backward_weight(sizes, gradient, data, weight_gradient);
    }
  }
  UnfoldedConvolution<T>(sizes).backward_weight(gradient, data, weight_gradient);
}

}  // namespace stashscope::cpu
