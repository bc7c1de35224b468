// Boxes and regions of images, and deformable convolution.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/run/cpu/signals/signals.h"
#include "core/run/shared/numbers.h"

namespace stashscope::cpu {

namespace {

struct Box {
  double left;
  double top;
  double right;
  double bottom;

  double area() const { return (right - left) * (bottom - top); }
};

/// Reads a box: two opposite corners (y, x, y, x) or, if `centred`, centre and size (x, y, w, h).
Box box_of(const double* numbers, bool centred) {
  if (centred) {
    const double width = numbers[2] / 2;
    const double height = numbers[3] / 2;
    return {numbers[0] - width, numbers[1] - height, numbers[0] + width, numbers[1] + height};
  }
  return {std::min(numbers[1], numbers[3]), std::min(numbers[0], numbers[2]),
          std::max(numbers[1], numbers[3]), std::max(numbers[0], numbers[2])};
}

/// Intersection over union: the area that two boxes share, divided by the area that they cover
/// together.
double overlap(const Box& a, const Box& b) {
  const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  if (width <= 0 || height <= 0) return 0;
  return width * height / (a.area() + b.area() - width * height);
}

/// The limits of NonMaxSuppression.
struct Limits {
  std::int64_t per_class = 0;
  double overlap = 0;
  std::optional<double> score;

  explicit Limits(const KernelContext& context) {
    if (context.has_input(2)) per_class = as_integer(context.in(2));
    if (context.has_input(3)) overlap = number_of<double>(context.in(3));
    if (context.has_input(4)) score = number_of<double>(context.in(4));
  }
};

/// Selects boxes of one class by descending score, at most `limits.per_class`. Leaves out boxes
/// whose score is not above `limits.score`, and boxes that overlap a selected box by more than
/// `limits.overlap`.
std::vector<std::int64_t> selected(const std::vector<Box>& boxes, const double* scores,
                                   const Limits& limits) {
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i < std::ssize(boxes); ++i) {
    if (!limits.score || scores[i] > *limits.score) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return scores[a] > scores[b]; });
  std::vector<std::int64_t> kept;
  for (const std::int64_t candidate : order) {
    if (std::ssize(kept) >= limits.per_class) break;
    const Box& box = boxes[static_cast<std::size_t>(candidate)];
    const bool covered = std::any_of(kept.begin(), kept.end(), [&](std::int64_t better) {
      return overlap(box, boxes[static_cast<std::size_t>(better)]) > limits.overlap;
    });
    if (!covered) kept.push_back(candidate);
  }
  return kept;
}

/// Rows (batch, class, box) of all selected boxes.
std::vector<std::int64_t> all_selected(const KernelContext& context) {
  const std::vector<double> corners = numbers_of<double>(context.in(0));
  const std::vector<double> scores = numbers_of<double>(context.in(1));
  const bool centred = context.attributes().integer("center_point_box", 0) != 0;
  const std::int64_t count = context.in(0).dim(1);
  const std::int64_t classes = context.in(1).dim(1);
  const Limits limits(context);
  std::vector<std::int64_t> rows;
  for (std::int64_t batch = 0; batch < context.in(0).dim(0); ++batch) {
    std::vector<Box> boxes;
    for (std::int64_t i = 0; i < count; ++i) {
      boxes.push_back(box_of(corners.data() + (batch * count + i) * 4, centred));
    }
    for (std::int64_t kind = 0; kind < classes; ++kind) {
      const double* const own = scores.data() + (batch * classes + kind) * count;
      for (const std::int64_t box : selected(boxes, own, limits)) {
        rows.insert(rows.end(), {batch, kind, box});
      }
    }
  }
  return rows;
}

/// One of the four elements around a point of a plane.
struct Corner {
  std::int64_t offset = 0;
  double weight = 0;
};
using Corners = std::array<Corner, 4>;

/// The elements around a point. A point outside of the plane moves to the edge.
Corners corners_within(double y, double x, std::int64_t height, std::int64_t width) {
  y = std::clamp(y, 0.0, static_cast<double>(height - 1));
  x = std::clamp(x, 0.0, static_cast<double>(width - 1));
  const auto top = static_cast<std::int64_t>(y);
  const auto left = static_cast<std::int64_t>(x);
  const std::int64_t bottom = std::min(top + 1, height - 1);
  const std::int64_t right = std::min(left + 1, width - 1);
  const double v = y - static_cast<double>(top);
  const double u = x - static_cast<double>(left);
  return {{{top * width + left, (1 - v) * (1 - u)},
           {top * width + right, (1 - v) * u},
           {bottom * width + left, v * (1 - u)},
           {bottom * width + right, v * u}}};
}

/// A region that RoiAlign divides into bins.
struct Region {
  double top = 0;
  double left = 0;
  double bin_height = 0;
  double bin_width = 0;
  std::int64_t rows = 1;  ///< rows of points in a bin
  std::int64_t columns = 1;

  Region(const KernelContext& context, const double* box) {
    const double scale = double{context.attributes().real("spatial_scale", 1)};
    const std::string mode =
        context.attributes().text("coordinate_transformation_mode",
                                  context.version < 16 ? "output_half_pixel" : "half_pixel");
    const bool shifted = mode == "half_pixel";
    const double shift = shifted ? 0.5 : 0;
    left = box[0] * scale - shift;
    top = box[1] * scale - shift;
    double width = box[2] * scale - shift - left;
    double height = box[3] * scale - shift - top;
    if (!shifted) {
      width = std::max(width, 1.0);
      height = std::max(height, 1.0);
    }
    bin_height = height / static_cast<double>(context.out().dim(2));
    bin_width = width / static_cast<double>(context.out().dim(3));
    const std::int64_t ratio = context.attributes().integer("sampling_ratio", 0);
    rows = points(ratio, bin_height);
    columns = points(ratio, bin_width);
  }

  /// The points of a bin. A point that lies outside of the plane [height, width] by more than 1 has
  /// weight 0.
  std::vector<Corners> bin(std::int64_t row, std::int64_t column, std::int64_t height,
                           std::int64_t width) const {
    std::vector<Corners> inside;
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      const double y = top + bin_height * (static_cast<double>(row) + middle(i / columns, rows));
      const double x =
          left + bin_width * (static_cast<double>(column) + middle(i % columns, columns));
      const bool within =
          y >= -1 && y <= static_cast<double>(height) && x >= -1 && x <= static_cast<double>(width);
      inside.push_back(within ? corners_within(y, x, height, width) : Corners{});
    }
    return inside;
  }

 private:
  static std::int64_t points(std::int64_t ratio, double size) {
    constexpr std::int64_t most = 1024;
    if (ratio > most || (ratio <= 0 && !(size < static_cast<double>(most)))) {
      fail_run("", "samples more than 1024 points along a side of a bin, which is not supported");
    }
    return ratio > 0 ? ratio
                     : std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil(size)));
  }
  static double middle(std::int64_t i, std::int64_t count) {
    return (static_cast<double>(i) + 0.5) / static_cast<double>(count);
  }
};

/// The mean over the points of a bin, or the greatest weighted element.
double pooled(const std::vector<Corners>& points, const double* plane, bool greatest) {
  double sum = 0;
  bool first = true;
  for (const Corners& point : points) {
    for (const Corner& each : point) {
      const double part = each.weight * plane[each.offset];
      sum = !greatest ? sum + part : first ? part : std::max(sum, part);
      first = false;
    }
  }
  return greatest ? sum : sum / std::max(1.0, static_cast<double>(points.size()));
}

/// Reads the data of DeformConv at the positions to which its offsets move the kernel.
class MovedKernel {
 public:
  explicit MovedKernel(const KernelContext& context)
      : x_(context.in(0)),
        weights_(context.in(1)),
        out_(context.out()),
        offset_groups_(context.attributes().integer("offset_group", 1)),
        offsets_(numbers_of<double>(context.in(2))),
        items_(numbers_of<double>(x_)) {
    if (context.has_input(4)) mask_ = numbers_of<double>(context.in(4));
    const Integers strides = context.attributes().integers("strides");
    const Integers dilations = context.attributes().integers("dilations");
    const Integers pads = context.attributes().integers("pads");
    for (const std::size_t axis : {0U, 1U}) {
      if (axis < strides.size()) stride_[axis] = strides[axis];
      if (axis < dilations.size()) dilation_[axis] = dilations[axis];
      if (axis < pads.size()) pad_[axis] = pads[axis];
    }
    const std::int64_t wanted = offset_groups_ * taps() * 2;
    if (offset_groups_ < 1 || x_.dim(1) % offset_groups_ != 0 || context.in(2).dim(1) != wanted) {
      fail_run("", "its offsets do not match its kernel and its groups");
    }
  }

  std::int64_t taps() const { return weights_.dim(2) * weights_.dim(3); }

  /// The number that tap `tap` of the kernel reads for one position of the result: an interpolated
  /// element times its mask.
  double read(std::int64_t image, std::int64_t channel, std::int64_t tap,
              std::int64_t position) const {
    const std::int64_t positions = out_.dim(2) * out_.dim(3);
    const std::int64_t group = channel / (x_.dim(1) / offset_groups_);
    const std::int64_t moved = (image * offset_groups_ + group) * taps() + tap;
    const auto offset = [&](std::int64_t axis) {
      return offsets_[static_cast<std::size_t>((moved * 2 + axis) * positions + position)];
    };
    const double y = place(0, position / out_.dim(3), tap / weights_.dim(3)) + offset(0);
    const double x = place(1, position % out_.dim(3), tap % weights_.dim(3)) + offset(1);
    const double factor =
        mask_.empty() ? 1 : mask_[static_cast<std::size_t>(moved * positions + position)];
    return factor * sampled(image * x_.dim(1) + channel, y, x);
  }

 private:
  double place(std::size_t axis, std::int64_t position, std::int64_t tap) const {
    return static_cast<double>(position * stride_[axis] + tap * dilation_[axis] - pad_[axis]);
  }

  /// Elements outside of the plane are 0.
  double sampled(std::int64_t plane, double y, double x) const {
    const auto height = static_cast<double>(x_.dim(2));
    const auto width = static_cast<double>(x_.dim(3));
    if (!(y > -1 && y < height && x > -1 && x < width)) return 0;
    const double top = std::floor(y);
    const double left = std::floor(x);
    double sum = 0;
    for (const double row : {top, top + 1}) {
      for (const double column : {left, left + 1}) {
        if (row < 0 || row >= height || column < 0 || column >= width) continue;
        const double weight = (1 - std::abs(y - row)) * (1 - std::abs(x - column));
        const std::int64_t at = (plane * x_.dim(2) + static_cast<std::int64_t>(row)) * x_.dim(3) +
                                static_cast<std::int64_t>(column);
        sum += weight * items_[static_cast<std::size_t>(at)];
      }
    }
    return sum;
  }

  const TensorView& x_;
  const TensorView& weights_;
  const TensorView& out_;
  std::int64_t offset_groups_;
  std::vector<double> offsets_;
  std::vector<double> mask_;
  std::vector<double> items_;
  std::array<std::int64_t, 2> stride_ = {1, 1};
  std::array<std::int64_t, 2> dilation_ = {1, 1};
  std::array<std::int64_t, 2> pad_ = {0, 0};
};

}  // namespace

std::vector<std::vector<std::int64_t>> non_max_suppression_size(const KernelContext& context) {
  return {{std::ssize(all_selected(context)) / 3, 3}};
}

/// Inputs (boxes, scores, [most per class], [overlap], [score])
void non_max_suppression(const KernelContext& context) {
  const std::vector<std::int64_t> rows = all_selected(context);
  std::copy(rows.begin(), rows.end(), context.out().as<std::int64_t>().begin());
}

/// Inputs (data, regions, index of each region's image)
void roi_align(const KernelContext& context) {
  const TensorView& x = context.in(0);
  const TensorView& out = context.out();
  const std::vector<double> items = numbers_of<double>(x);
  const std::vector<double> boxes = numbers_of<double>(context.in(1));
  const std::vector<std::int64_t> batches = as_integers(context.in(2));
  const bool greatest = context.attributes().text("mode", "avg") == "max";
  const std::int64_t plane = x.dim(2) * x.dim(3);
  const std::int64_t bins = out.dim(2) * out.dim(3);
  std::vector<double> result(static_cast<std::size_t>(out.elements()));
  for (std::int64_t region = 0; region < out.dim(0); ++region) {
    const std::int64_t batch = batches[static_cast<std::size_t>(region)];
    if (batch < 0 || batch >= x.dim(0)) fail_run("", "the image index of a region is out of range");
    const Region box(context, boxes.data() + region * 4);
    for (std::int64_t bin = 0; bin < bins; ++bin) {
      const std::vector<Corners> points =
          box.bin(bin / out.dim(3), bin % out.dim(3), x.dim(2), x.dim(3));
      for (std::int64_t channel = 0; channel < x.dim(1); ++channel) {
        const double* const from = items.data() + (batch * x.dim(1) + channel) * plane;
        result[static_cast<std::size_t>((region * x.dim(1) + channel) * bins + bin)] =
            pooled(points, from, greatest);
      }
    }
  }
  store_numbers(result, out);
}

/// Inputs (data, weights, offsets, [bias], [mask])
void deform_conv(const KernelContext& context) {
  const TensorView& x = context.in(0);
  const TensorView& weights = context.in(1);
  const TensorView& out = context.out();
  const std::int64_t groups = context.attributes().integer("group", 1);
  if (groups < 1 || x.dim(1) != weights.dim(1) * groups || weights.dim(0) % groups != 0) {
    fail_run("", "its channels do not match its weights and groups");
  }
  const MovedKernel kernel(context);
  const std::vector<double> items = numbers_of<double>(weights);
  const std::vector<double> bias =
      context.has_input(3) ? numbers_of<double>(context.in(3)) : std::vector<double>();
  const std::int64_t positions = out.dim(2) * out.dim(3);
  const std::int64_t per_group = out.dim(1) / groups;
  std::vector<double> result;
  for (std::int64_t i = 0; i < out.elements(); ++i) {
    const std::int64_t position = i % positions;
    const std::int64_t filter = i / positions % out.dim(1);
    const std::int64_t image = i / positions / out.dim(1);
    double sum = bias.empty() ? 0 : bias[static_cast<std::size_t>(filter)];
    for (std::int64_t k = 0; k < weights.dim(1) * kernel.taps(); ++k) {
      const std::int64_t channel = filter / per_group * weights.dim(1) + k / kernel.taps();
      sum += items[static_cast<std::size_t>(filter * weights.dim(1) * kernel.taps() + k)] *
             kernel.read(image, channel, k % kernel.taps(), position);
    }
    result.push_back(sum);
  }
  store_numbers(result, out);
}

}  // namespace stashscope::cpu
