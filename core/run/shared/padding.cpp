#include "core/run/shared/padding.h"

#include <algorithm>

#include "core/ops/rules/pads_attribute.h"
#include "core/ops/rules/rules.h"
#include "core/run/shared/dispatch.h"
#include "core/run/shared/walk.h"

namespace stashscope::kernels {

namespace {

/// After so many positions, a reflected axis repeats itself.
std::int64_t reflection_period(std::int64_t size) {
  return std::max<std::int64_t>(1, 2 * (size - 1));
}

/// The pad within the axis that gives the same tensor as `pad`.
std::int64_t pad_within(const std::string& mode, std::int64_t pad, std::int64_t size,
                        std::int64_t padded) {
  if (mode == "wrap") return pad % std::max<std::int64_t>(1, size);
  if (mode == "reflect") return pad % reflection_period(size);
  return std::clamp(pad, -size, padded);
}

}  // namespace

std::int64_t padded_source(const std::string& mode, std::int64_t i, std::int64_t size) {
  if (i >= 0 && i < size) return i;
  if (mode == "edge") return std::clamp<std::int64_t>(i, 0, size - 1);
  if (mode == "wrap") return (i % size + size) % size;
  if (mode != "reflect") return constant_padding;
  const std::int64_t period = reflection_period(size);
  const std::int64_t folded = (i % period + period) % period;
  return folded < size ? folded : period - folded;
}

std::vector<std::int64_t> pads_before(const std::vector<TensorView>& inputs,
                                      const Attributes& attributes, std::int64_t version,
                                      std::size_t input, std::size_t axes_input,
                                      const std::vector<std::int64_t>& data,
                                      const std::vector<std::int64_t>& padded) {
  const std::int64_t rank = std::ssize(data);
  const std::string mode = attributes.text("mode", "constant");
  const auto given = [&](std::size_t i) { return i < inputs.size() && inputs[i].present(); };
  const auto pads =
      given(input) ? as_integers(inputs[input]) : attributes.integers(pads_attribute(version));
  const auto axes = given(axes_input) ? as_integers(inputs[axes_input]) : all_axes(rank);
  std::vector<std::int64_t> before(static_cast<std::size_t>(rank), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = axis_in(axes[i], rank);
    before[axis] = pad_within(mode, pads[i], data[axis], padded[axis]);
  }
  return before;
}

}  // namespace stashscope::kernels
