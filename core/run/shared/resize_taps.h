#pragma once

#include "core/run/shared/kernel.h"

namespace stashscope::kernels {

/// An input position, and its weight in the sum for an output position.
struct Tap {
  std::int64_t in;
  double weight;
};

/// The weighted input positions whose sum gives one output position; empty where the value is
/// extrapolated.
using Taps = std::vector<Tap>;

/// An axis that is resized, cropped or scaled. Its size may stay the same.
struct ResizedAxis {
  std::size_t axis = 0;
  std::int64_t in = 1;
  std::int64_t out = 1;
  std::vector<Taps> taps;  ///< taps of each output position
};

/// The axes of a tensor that are resized, one after the other.
struct Resizing {
  std::vector<ResizedAxis> axes;
  double extrapolation = 0;  ///< value of a position without taps
};

/// Indices of the inputs of a resizing operator.
struct ResizePlaces {
  static constexpr std::size_t none = 9;
  std::size_t roi = none;
  std::size_t scales = none;
  std::size_t sizes = none;
  bool early = false;  ///< the operator has no coordinate and no rounding mode
};
constexpr ResizePlaces upsample_places = {.scales = 1, .early = true};
constexpr ResizePlaces resize_grad_places = {.roi = 2, .scales = 3};
/// Input indices of Resize: (X, scales) before version 11, (X, roi, scales, sizes) from 11 on.
ResizePlaces resize_places(std::int64_t version);

/// The taps that resize a tensor of dims `in` to dims `out`. (ONNX, Resize)
Resizing resizing_of(const Attributes& attributes, const std::vector<TensorView>& inputs,
                     const ResizePlaces& places, const std::vector<std::int64_t>& in,
                     const std::vector<std::int64_t>& out);

}  // namespace stashscope::kernels
