#include "core/run/shared/resize_taps.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/ops/rules/rules.h"
#include "core/run/shared/numbers.h"
#include "core/run/shared/walk.h"

namespace stashscope::kernels {

namespace {

/// The operands that control how a node resizes.
struct ResizeInputs {
  const Attributes& attributes;
  const std::vector<TensorView>& inputs;
  ResizePlaces places;

  /// The elements of an input; empty for an input left out.
  std::vector<double> numbers(std::size_t input) const {
    return input < inputs.size() ? numbers_of<double>(inputs[input]) : std::vector<double>();
  }
};

/// The attributes that determine the positions and weights of taps. (ONNX, Resize)
struct Interpolation {
  std::string mode;
  std::string coordinates;
  std::string nearest;
  double cubic = -0.75;
  double extrapolation = 0;
  bool antialias = false;
  bool exclude_outside = false;
};

/// @param early Upsample, or Resize before version 11: no coordinate mode and no rounding mode
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

/// One resized axis and its scale.
struct ScaledAxis {
  std::size_t axis = 0;
  std::int64_t in = 1;
  std::int64_t out = 1;
  double scale = 1;
  double roi_start = 0;
  double roi_end = 1;
};

/// The input position of output position `x`.
double source_position(const Interpolation& how, const ScaledAxis& axis, double x) {
  const auto in = static_cast<double>(axis.in);
  const auto out = static_cast<double>(axis.out);
  if (how.coordinates == "asymmetric") return x / axis.scale;
  // Uses the exact product of input width and scale, not the integer output width.
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

/// The weight of an input position at distance `x`. Source of the cubic weights: Keys, "Cubic
/// convolution interpolation for digital image processing", 1981.
double weight_at(const Interpolation& how, double x) {
  x = std::abs(x);
  if (how.mode != "cubic") return std::max(0.0, 1 - x);
  const double a = how.cubic;
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

Taps weighted_taps(const Interpolation& how, const ScaledAxis& axis, double x) {
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

Taps taps_of(const Interpolation& how, const ScaledAxis& axis, std::int64_t out) {
  const double x = source_position(how, axis, static_cast<double>(out));
  const auto last = static_cast<double>(axis.in - 1);
  // The condition is negated, so that it also holds for NaN.
  if (how.coordinates == "tf_crop_and_resize" && !(x >= 0 && x <= last)) return {};
  if (how.mode != "nearest") return weighted_taps(how, axis, x);
  return {{static_cast<std::int64_t>(std::clamp(rounded(how.nearest, x), 0.0, last)), 1}};
}

/// The common scale of all axes if the node has `sizes` and keeps the aspect ratio; else nullopt.
std::optional<double> even_scale(const ResizeInputs& given, const Integers& axes,
                                 const std::vector<std::int64_t>& in) {
  const std::string policy = given.attributes.text("keep_aspect_ratio_policy", "stretch");
  std::vector<double> wanted = given.numbers(given.places.sizes);
  if (policy == "stretch" || wanted.empty()) return std::nullopt;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    wanted[i] /= static_cast<double>(in[axis_in(axes[i], std::ssize(in))]);
  }
  const auto [least, greatest] = std::minmax_element(wanted.begin(), wanted.end());
  return policy == "not_larger" ? *least : *greatest;
}

/// The axes that are resized, cropped or scaled.
std::vector<ScaledAxis> scaled_axes(const ResizeInputs& given, const Interpolation& how,
                                    const std::vector<std::int64_t>& in,
                                    const std::vector<std::int64_t>& out) {
  const std::vector<double> roi = given.numbers(given.places.roi);
  const std::vector<double> scales = given.numbers(given.places.scales);
  Integers axes = given.attributes.integers("axes");
  if (axes.empty()) axes = all_axes(std::ssize(in));
  const std::optional<double> even = even_scale(given, axes, in);
  std::vector<ScaledAxis> list;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t at = axis_in(axes[i], std::ssize(in));
    ScaledAxis axis{at, in[at], out[at]};
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

}  // namespace

Resizing resizing_of(const Attributes& attributes, const std::vector<TensorView>& inputs,
                     const ResizePlaces& places, const std::vector<std::int64_t>& in,
                     const std::vector<std::int64_t>& out) {
  const Interpolation how = read_interpolation(attributes, places.early);
  Resizing resizing{{}, how.extrapolation};
  for (const ScaledAxis& axis : scaled_axes({attributes, inputs, places}, how, in, out)) {
    resizing.axes.push_back({axis.axis, axis.in, axis.out, {}});
    for (std::int64_t i = 0; i < axis.out; ++i) {
      resizing.axes.back().taps.push_back(taps_of(how, axis, i));
    }
  }
  return resizing;
}

ResizePlaces resize_places(std::int64_t version) {
  if (version < 11) return upsample_places;
  return {.roi = 1, .scales = 2, .sizes = 3};
}

}  // namespace stashscope::kernels
