// Conversions between real numbers and integers with a scale and a zero point.

#include <algorithm>
#include <cmath>

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/quantized.h"
#include "core/run/cpu/primitives/small_numbers.h"
#include "core/run/shared/numbers.h"
#include "core/run/shared/walk.h"

namespace stashscope::cpu {

namespace {

/// The index of the scale that applies to an element. There is one scale for all elements, for each
/// position along an axis, or for each block of positions.
class ScaleIndex {
 public:
  ScaleIndex(const KernelContext& context)
      : scales_(context.in(1).elements()), block_(context.attributes().integer("block_size", 0)) {
    const std::vector<std::int64_t>& dims = context.in(0).dims;
    if (scales_ == 1 && block_ == 0) return;
    std::int64_t axis = context.attributes().integer("axis", 1);
    if (axis < 0) axis += std::ssize(dims);
    if (axis < 0 || axis >= std::ssize(dims))
      fail_run("", "its axis is outside of the data's rank");
    split_ = split_at(dims, axis);
    if (block_ > 0) {
      blocks_ = (split_.size + block_ - 1) / block_;
      if (scales_ != split_.outer * blocks_ * split_.inner) fail_shape();
    } else if (scales_ != split_.size) {
      fail_shape();
    }
  }

  std::size_t operator()(std::int64_t element) const {
    if (scales_ == 1) return 0;
    const std::int64_t position = element / split_.inner % split_.size;
    if (block_ == 0) return static_cast<std::size_t>(position);
    const std::int64_t outer = element / split_.inner / split_.size;
    return static_cast<std::size_t>((outer * blocks_ + position / block_) * split_.inner +
                                    element % split_.inner);
  }

 private:
  [[noreturn]] static void fail_shape() {
    fail_run("", "the number of its scales does not match the data");
  }

  std::int64_t scales_;
  std::int64_t block_;
  std::int64_t blocks_ = 0;
  AxisSplit split_;
};

std::vector<double> zero_points(const KernelContext& context, std::size_t count) {
  std::vector<double> points =
      context.has_input(2) ? all_numbers(context.in(2)) : std::vector<double>(count, 0);
  if (points.size() != count && points.size() != 1) {
    fail_run("", "its zero points do not match its scales");
  }
  points.resize(count, points.empty() ? 0 : points[0]);
  return points;
}

/// saturate(round(x / scale) + zero point), ties to even. Results of floating type are not rounded
/// to integers.
void quantize(const KernelContext& context) {
  const ElementType element = context.out().element;
  const ScaleIndex index(context);
  std::vector<double> items = numbers_of<double>(context.in(0));
  const std::vector<double> scales = numbers_of<double>(context.in(1));
  const std::vector<double> zeros = zero_points(context, scales.size());
  const IntegerLimits limits = integer_limits(element);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::size_t at = index(static_cast<std::int64_t>(i));
    // Divides in float, not in double, because the rounding of the quotient decides which quotients
    // are ties.
    const double quotient = double{static_cast<float>(items[i]) / static_cast<float>(scales[at])};
    items[i] = is_floating(element) ? quotient + zeros[at]
                                    : std::clamp(std::nearbyint(quotient) + zeros[at], limits.least,
                                                 limits.greatest);
  }
  if (!is_small_number(element)) return store_numbers(items, context.out());
  const bool saturates = context.attributes().integer("saturate", 1) != 0;
  store_small_numbers(items, {saturates, "up"}, context.out());
}

/// (x - zero point) * scale
void dequantize(const KernelContext& context) {
  const ScaleIndex index(context);
  std::vector<double> items = all_numbers(context.in(0));
  const std::vector<double> scales = numbers_of<double>(context.in(1));
  const std::vector<double> zeros = zero_points(context, scales.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::size_t at = index(static_cast<std::int64_t>(i));
    items[i] = (items[i] - zeros[at]) * scales[at];
  }
  store_numbers(items, context.out());
}

/// Quantizes to uint8 with a scale that covers the data's range and 0. (ONNX,
/// DynamicQuantizeLinear)
void dynamic_quantize(const KernelContext& context) {
  const auto x = context.in(0).as<float>();
  float least = 0;
  float greatest = 0;
  for (const float item : x) {
    least = std::min(least, item);
    greatest = std::max(greatest, item);
  }
  const float scale = (greatest - least) / 255;
  const float zero = scale == 0 ? 0 : std::clamp(std::nearbyint(-least / scale), 0.0F, 255.0F);
  const auto y = context.out().as<std::uint8_t>();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float step = scale == 0 ? 0 : std::nearbyint(x[i] / scale);
    y[i] = static_cast<std::uint8_t>(std::clamp(step + zero, 0.0F, 255.0F));
  }
  if (context.has_output(1)) context.out(1).as<float>()[0] = scale;
  if (context.has_output(2)) context.out(2).as<std::uint8_t>()[0] = static_cast<std::uint8_t>(zero);
}

}  // namespace

void add_quantization_kernels(KernelRegistry& registry) {
  registry.add("", "QuantizeLinear", {quantize});
  registry.add("", "DequantizeLinear", {dequantize});
  registry.add("", "DynamicQuantizeLinear", {dynamic_quantize});
}

}  // namespace stashscope::cpu
