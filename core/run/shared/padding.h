#pragma once

#include "core/run/shared/kernel.h"

namespace stashscope::kernels {

/// Returned instead of a source position where the padded tensor holds the constant.
constexpr std::int64_t constant_padding = -1;

/// The position in an axis of `size` elements that is copied to position `i` of the padded axis, or
/// constant_padding. `i` counts from the first element of the data, so it may be negative.
/// @param mode `constant`, `edge`, `reflect` or `wrap`
std::int64_t padded_source(const std::string& mode, std::int64_t i, std::int64_t size);

/// The number of elements that Pad adds before the data on each axis. The numbers come from operand
/// `input`, and the axes they belong to from operand `axes_input`. Before version 11, the numbers
/// come from an attribute: `pads`, or `paddings` in version 1. A number beyond the axis is replaced
/// by one within it that gives the same tensor.
/// @param data the dims before the padding
/// @param padded the dims after it
std::vector<std::int64_t> pads_before(const std::vector<TensorView>& inputs,
                                      const Attributes& attributes, std::int64_t version,
                                      std::size_t input, std::size_t axes_input,
                                      const std::vector<std::int64_t>& data,
                                      const std::vector<std::int64_t>& padded);

}  // namespace stashscope::kernels
