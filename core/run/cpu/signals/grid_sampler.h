#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/run/cpu/primitives/shared_names.h"

namespace stashscope::cpu {

/// How GridSample reads along one axis of `size` positions. (ONNX, GridSample)
class AxisSampler {
 public:
  enum class Mode { nearest, linear, cubic };
  enum class Padding { zeros, border, reflection };

  /// A position of the axis, its weight, and the derivative of the weight by the coordinate; a
  /// position of -1 reads 0.
  template <class C>
  struct Neighbour {
    std::int64_t at = -1;
    C weight = 0;
    C slope = 0;
  };

  AxisSampler(const Attributes& attributes, std::int64_t size)
      : size_(size), aligned_(attributes.integer("align_corners", 0) != 0) {
    const std::string mode = attributes.text("mode", "linear");
    if (mode == "nearest") mode_ = Mode::nearest;
    if (mode == "cubic" || mode == "bicubic") mode_ = Mode::cubic;
    const std::string padding = attributes.text("padding_mode", "zeros");
    if (padding == "border") padding_ = Padding::border;
    if (padding == "reflection") padding_ = Padding::reflection;
  }

  /// The positions that contribute to the value at `coordinate`, which is -1 to 1 over the axis.
  template <class C>
  std::vector<Neighbour<C>> neighbours(C coordinate) const {
    const C scale = static_cast<C>(aligned_ ? size_ - 1 : size_) / 2;
    C slope = scale;
    C position = aligned_ ? (coordinate + 1) / 2 * static_cast<C>(size_ - 1)
                          : ((coordinate + 1) * static_cast<C>(size_) - 1) / 2;
    if (mode_ == Mode::nearest) position = std::nearbyint(position);
    pad(position, slope);
    // As in PyTorch, NaN, infinite and huge positions count as far outside.
    constexpr C furthest = 1 << 30;
    if (!(std::abs(position) < furthest)) position = -100;
    const C base = std::floor(position);
    const C t = position - base;
    const auto first = static_cast<std::int64_t>(base);
    if (mode_ == Mode::nearest) return {{placed(first), 1, 0}};
    if (mode_ == Mode::linear) {
      return {{placed(first), 1 - t, -slope}, {placed(first + 1), t, slope}};
    }
    std::vector<Neighbour<C>> four;
    for (const int i : {-1, 0, 1, 2}) {
      const auto [weight, derivative] = keys_weight<C>(t - static_cast<C>(i));
      four.push_back({placed(first + i), weight, derivative * slope});
    }
    return four;
  }

 private:
  /// Cubic convolution with a = -0.75, and its derivative. (Keys 1981)
  template <class C>
  static std::pair<C, C> keys_weight(C distance) {
    constexpr C a = C(-0.75);
    const C d = std::abs(distance);
    const C sign = distance < 0 ? C(-1) : C(1);
    if (d <= 1) {
      return {((a + 2) * d - (a + 3)) * d * d + 1, sign * (3 * (a + 2) * d - 2 * (a + 3)) * d};
    }
    return {((a * d - 5 * a) * d + 8 * a) * d - 4 * a, sign * ((3 * a * d - 10 * a) * d + 8 * a)};
  }

  double lowest() const { return aligned_ ? 0 : -0.5; }
  double highest() const { return static_cast<double>(size_) - (aligned_ ? 1 : 0.5); }

  /// Moves a position outside of the axis into the axis if the padding is `border` or `reflection`.
  /// In cubic mode, border padding applies to each neighbour instead, as in PyTorch.
  template <class C>
  void pad(C& position, C& slope) const {
    if (!(position < static_cast<C>(lowest()) || position > static_cast<C>(highest()))) return;
    if (padding_ == Padding::border && mode_ != Mode::cubic) {
      position = std::clamp(position, C(0), static_cast<C>(size_ - 1));
      slope = 0;
    } else if (padding_ == Padding::reflection) {
      const auto [inside, sign] = reflected(static_cast<double>(position));
      position = static_cast<C>(inside);
      slope *= static_cast<C>(sign);
    }
  }

  /// The position, reflected at both ends of the axis until it lies inside, and the derivative of
  /// this result by the position.
  std::pair<double, int> reflected(double position) const {
    const double range = highest() - lowest();
    if (range <= 0) return {0, 0};
    const double distance = position - lowest();
    const double turns = std::floor(distance / range);
    const double rest = distance - turns * range;
    const bool back = std::fmod(std::abs(turns), 2) == 1;
    return {lowest() + (back ? range - rest : rest), back ? -1 : 1};
  }

  std::int64_t placed(std::int64_t at) const {
    if (at >= 0 && at < size_) return at;
    if (padding_ == Padding::zeros || size_ == 0) return -1;
    if (padding_ == Padding::reflection) {
      at = std::llround(reflected(static_cast<double>(at)).first);
    }
    return std::clamp<std::int64_t>(at, 0, size_ - 1);
  }

  std::int64_t size_;
  bool aligned_;
  Mode mode_ = Mode::linear;
  Padding padding_ = Padding::zeros;
};

constexpr std::size_t most_sampled_axes = 8;

/// An element of a channel that contributes to a sampled value.
template <class C>
struct SampledElement {
  std::int64_t offset = 0;
  C weight = 1;
  /// Derivatives of the weight by the coordinates, one for each spatial axis.
  std::array<C, most_sampled_axes> slopes = {};
};

/// Reads data of dims [batch, channels, spatial...].
class GridSampler {
 public:
  GridSampler(const Attributes& attributes, const std::vector<std::int64_t>& data)
      : dims_(data.begin() + 2, data.end()) {
    if (dims_.size() > most_sampled_axes) {
      fail_run("", "samples data of more than 8 spatial axes, which is not supported");
    }
    for (const std::int64_t size : dims_) axes_.emplace_back(attributes, size);
  }

  std::size_t axes() const { return axes_.size(); }
  std::int64_t channel_size() const { return element_count(dims_); }

  /// The elements that contribute to the value at a point. @param point one coordinate per axis,
  /// the last axis first
  template <class C>
  std::vector<SampledElement<C>> at(const C* point) const {
    std::vector<SampledElement<C>> elements(1);
    for (std::size_t axis = 0; axis < axes(); ++axis) {
      const auto along = axes_[axis].template neighbours<C>(point[axes() - 1 - axis]);
      std::vector<SampledElement<C>> finer;
      for (const SampledElement<C>& element : elements) {
        for (const auto& neighbour : along) {
          if (neighbour.at < 0) continue;
          SampledElement<C>& next = finer.emplace_back(element);
          next.offset = element.offset * dims_[axis] + neighbour.at;
          next.weight = element.weight * neighbour.weight;
          for (std::size_t i = 0; i < axis; ++i) next.slopes[i] *= neighbour.weight;
          next.slopes[axis] = element.weight * neighbour.slope;
        }
      }
      elements = std::move(finer);
    }
    return elements;
  }

 private:
  std::vector<std::int64_t> dims_;
  std::vector<AxisSampler> axes_;
};

}  // namespace stashscope::cpu
