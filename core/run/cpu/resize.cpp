// Resize, Upsample and the gradient. Every mode is a weighted sum along one axis at a time; the
// gradient is the transposed sum.

#include <cmath>
#include <optional>

#include "core/ops/rules.h"
#include "core/run/cpu/families.h"
#include "core/run/cpu/numbers.h"
#include "core/run/cpu/walk.h"

namespace stashscope::cpu {

namespace {

/// How positions and weights are found. (ONNX, Resize)
struct Interpolation {
  std::string mode;
  std::string coordinates;
  std::string nearest;
  double cubic = -0.75;
  double extrapolation = 0;
  bool antialias = false;
  bool exclude_outside = false;
};

/// Resize before version 11, and Upsample, know neither coordinates nor rounding modes.
Interpolation read_interpolation(const Attributes& attributes, bool early) {
  Interpolation how;
  how.mode = attributes.text("mode", "nearest");
  how.coordinates =
      attributes.text("coordinate_transformation_mode", early ? "asymmetric" : "half_pixel");
  how.nearest = attributes.text("nearest_mode", early ? "floor" : "round_prefer_floor");
  how.cubic = double{attributes.real("cubic_coeff_a", -0.75F)};
  how.extrapolation = double{attributes.real("extrapolation_value", 0)};
  how.antialias = attributes.integer("antialias", 0) != 0;
  how.exclude_outside = attributes.integer("exclude_outside", 0) != 0;
  return how;
}

/// One axis that is resized.
struct ResizedAxis {
  std::size_t axis = 0;
  std::int64_t in = 1;
  std::int64_t out = 1;
  double scale = 1;
  double roi_start = 0;
  double roi_end = 1;
};

/// Where output position `x` lies among the input's.
double source_position(const Interpolation& how, const ResizedAxis& axis, double x) {
  const auto in = static_cast<double>(axis.in);
  const auto out = static_cast<double>(axis.out);
  if (how.coordinates == "asymmetric") return x / axis.scale;
  // The width that a scale asks for counts, not the whole number it is cut to.
  if (how.coordinates == "align_corners") {
    return axis.out == 1 ? 0 : x * (in - 1) / (axis.scale * in - 1);
  }
  if (how.coordinates == "pytorch_half_pixel" && axis.out == 1) return 0;
  if (how.coordinates == "tf_crop_and_resize") {
    const double width = axis.roi_end - axis.roi_start;
    return axis.out == 1 ? (axis.roi_start + axis.roi_end) / 2 * (in - 1)
                         : axis.roi_start * (in - 1) + x * width * (in - 1) / (out - 1);
  }
  const double centred = (x + 0.5) / axis.scale - 0.5;
  if (how.coordinates == "half_pixel_symmetric") {
    return in / 2 * (1 - out / (axis.scale * in)) + centred;
  }
  return centred;
}

double rounded(const std::string& mode, double x) {
  if (mode == "floor") return std::floor(x);
  if (mode == "ceil") return std::ceil(x);
  return mode == "round_prefer_ceil" ? std::floor(x + 0.5) : std::ceil(x - 0.5);
}

/// The weight of an input position at distance `x`. Cubic: Keys, "Cubic convolution interpolation
/// for digital image processing", 1981.
double weight_at(const Interpolation& how, double x) {
  x = std::abs(x);
  if (how.mode != "cubic") return std::max(0.0, 1 - x);
  const double a = how.cubic;
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

struct Tap {
  std::int64_t in;
  double weight;
};

/// The input positions that make up one output position; none where the value is extrapolated.
using Taps = std::vector<Tap>;

Taps weighted_taps(const Interpolation& how, const ResizedAxis& axis, double x) {
  const double shrink = how.antialias ? std::min(axis.scale, 1.0) : 1.0;
  const double reach = (how.mode == "cubic" ? 2 : 1) / shrink;
  Taps taps;
  double total = 0;
  for (double at = std::ceil(x - reach); at <= x + reach; ++at) {
    const auto position = static_cast<std::int64_t>(at);
    const bool outside = position < 0 || position >= axis.in;
    const double weight = outside && how.exclude_outside ? 0 : weight_at(how, (at - x) * shrink);
    if (weight == 0) continue;
    taps.push_back({std::clamp<std::int64_t>(position, 0, axis.in - 1), weight});
    total += weight;
  }
  for (Tap& tap : taps) tap.weight /= total;
  return taps;
}

Taps taps_of(const Interpolation& how, const ResizedAxis& axis, std::int64_t out) {
  const double x = source_position(how, axis, static_cast<double>(out));
  const auto last = static_cast<double>(axis.in - 1);
  if (how.coordinates == "tf_crop_and_resize" && (x < 0 || x > last)) return {};
  if (how.mode != "nearest") return weighted_taps(how, axis, x);
  return {{static_cast<std::int64_t>(std::clamp(rounded(how.nearest, x), 0.0, last)), 1}};
}

/// Inputs by position, which differ between the operators.
struct Operands {
  std::size_t roi;
  std::size_t scales;
  std::size_t sizes;
};
constexpr std::size_t no_operand = 9;

/// The one scale of all axes that `sizes` leave when the aspect ratio is kept; nothing when it is
/// not.
std::optional<double> even_scale(const KernelContext& context, std::size_t sizes,
                                 const Integers& axes, const std::vector<std::int64_t>& in) {
  const std::string policy = context.attributes().text("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || !context.has_input(sizes)) return std::nullopt;
  std::vector<double> wanted = numbers_of<double>(context.in(sizes));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    wanted[i] /= static_cast<double>(in[axis_in(axes[i], std::ssize(in))]);
  }
  const auto [least, greatest] = std::minmax_element(wanted.begin(), wanted.end());
  return policy == "not_larger" ? *least : *greatest;
}

/// The axes whose size or position changes.
std::vector<ResizedAxis> resized_axes(const KernelContext& context, const Interpolation& how,
                                      Operands operands, const std::vector<std::int64_t>& in,
                                      const std::vector<std::int64_t>& out) {
  const auto optional = [&](std::size_t input) {
    return context.has_input(input) ? numbers_of<double>(context.in(input)) : std::vector<double>();
  };
  const std::vector<double> roi = optional(operands.roi);
  const std::vector<double> scales = optional(operands.scales);
  Integers axes = context.attributes().integers("axes");
  if (axes.empty()) axes = all_axes(std::ssize(in));
  const std::optional<double> even = even_scale(context, operands.sizes, axes, in);
  std::vector<ResizedAxis> list;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t at = axis_in(axes[i], std::ssize(in));
    ResizedAxis axis{at, in[at], out[at]};
    axis.scale =
        scales.empty() ? static_cast<double>(axis.out) / static_cast<double>(axis.in) : scales[i];
    if (even) axis.scale = *even;
    const bool crops = how.coordinates == "tf_crop_and_resize" && roi.size() == 2 * axes.size();
    if (crops) {
      axis.roi_start = roi[i];
      axis.roi_end = roi[i + axes.size()];
    }
    if (axis.in != axis.out || crops || axis.scale != 1) list.push_back(axis);
  }
  return list;
}

/// Calls `body(outer, out position, taps)` for every row of an axis.
template <class Body>
void for_each_row(const Interpolation& how, const ResizedAxis& axis, std::int64_t outer_count,
                  Body body) {
  std::vector<Taps> taps;
  for (std::int64_t i = 0; i < axis.out; ++i) taps.push_back(taps_of(how, axis, i));
  for (std::int64_t outer = 0; outer < outer_count; ++outer) {
    for (std::int64_t i = 0; i < axis.out; ++i) body(outer, i, taps[static_cast<std::size_t>(i)]);
  }
}

/// x with one axis resized; `dims` follow.
template <class C>
std::vector<C> resized(const Interpolation& how, const ResizedAxis& axis, const std::vector<C>& x,
                       std::vector<std::int64_t>& dims) {
  const AxisSplit split = split_at(dims, static_cast<std::int64_t>(axis.axis));
  std::vector<C> y(static_cast<std::size_t>(split.outer * axis.out * split.inner), C(0));
  for_each_row(how, axis, split.outer, [&](std::int64_t outer, std::int64_t i, const Taps& taps) {
    C* const to = y.data() + (outer * axis.out + i) * split.inner;
    if (taps.empty()) std::fill_n(to, split.inner, static_cast<C>(how.extrapolation));
    for (const Tap& tap : taps) {
      const C* const from = x.data() + (outer * axis.in + tap.in) * split.inner;
      const auto weight = static_cast<C>(tap.weight);
      for (std::int64_t k = 0; k < split.inner; ++k) to[k] += weight * from[k];
    }
  });
  dims[axis.axis] = axis.out;
  return y;
}

/// The transposed operation: what arrives at an output position goes back to its taps.
template <class C>
std::vector<C> resized_back(const Interpolation& how, const ResizedAxis& axis,
                            const std::vector<C>& dy, std::vector<std::int64_t>& dims) {
  const AxisSplit split = split_at(dims, static_cast<std::int64_t>(axis.axis));
  std::vector<C> dx(static_cast<std::size_t>(split.outer * axis.in * split.inner), C(0));
  for_each_row(how, axis, split.outer, [&](std::int64_t outer, std::int64_t i, const Taps& taps) {
    const C* const from = dy.data() + (outer * axis.out + i) * split.inner;
    for (const Tap& tap : taps) {
      C* const to = dx.data() + (outer * axis.in + tap.in) * split.inner;
      const auto weight = static_cast<C>(tap.weight);
      for (std::int64_t k = 0; k < split.inner; ++k) to[k] += weight * from[k];
    }
  });
  dims[axis.axis] = axis.in;
  return dx;
}

template <class Step>
void resize_by(const KernelContext& context, const std::vector<ResizedAxis>& axes, Step step) {
  const auto run = [&](auto tag) {
    using C = typename decltype(tag)::type;
    std::vector<std::int64_t> dims = context.in(0).dims;
    std::vector<C> items = numbers_of<C>(context.in(0));
    for (const ResizedAxis& axis : axes) items = step(axis, items, dims);
    store_numbers(items, context.out());
  };
  is_floating(context.out().element) ? with_real(context.out().element, run)
                                     : run(TypeTag<double>());
}

void resize_from(const KernelContext& context, bool early, Operands operands) {
  const Interpolation how = read_interpolation(context.attributes(), early);
  const auto axes = resized_axes(context, how, operands, context.in(0).dims, context.out().dims);
  resize_by(context, axes, [&](const ResizedAxis& axis, const auto& x, auto& dims) {
    return resized(how, axis, x, dims);
  });
}

/// Inputs X, scales before version 11; X, roi, scales, sizes since.
void resize(const KernelContext& context) {
  const bool early = context.version < 11;
  resize_from(context, early, early ? Operands{no_operand, 1, no_operand} : Operands{1, 2, 3});
}

void upsample(const KernelContext& context) {
  resize_from(context, true, {no_operand, 1, no_operand});
}

/// (dY, shape of X, [roi], [scales])
void resize_grad(const KernelContext& context) {
  const Interpolation how = read_interpolation(context.attributes(), false);
  const auto axes =
      resized_axes(context, how, {2, 3, no_operand}, context.out().dims, context.in(0).dims);
  resize_by(context, axes, [&](const ResizedAxis& axis, const auto& dy, auto& dims) {
    return resized_back(how, axis, dy, dims);
  });
}

}  // namespace

void add_resize_kernels(KernelRegistry& registry) {
  registry.add("", "Resize", {resize});
  registry.add("", "Upsample", {upsample});
  registry.add("com.microsoft", "ResizeGrad", {resize_grad});
}

}  // namespace stashscope::cpu
