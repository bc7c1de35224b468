// Sampling at the points of a grid, grids of points, and the gradients.

#include <numeric>

#include "core/run/cpu/signals/grid_sampler.h"
#include "core/run/cpu/signals/signals.h"
#include "core/run/shared/numbers.h"

namespace stashscope::cpu {

namespace {

/// Calls `body(elements, point, plane, place)` for every sampled value. `elements` are the elements
/// of the data that contribute to the value; `point`, `plane` and `place` are the offsets of the
/// point in the grid, of the channel in the data, and of the value in the result.
template <class C, class Body>
void for_each_sample(const KernelContext& context, const TensorView& data, const TensorView& grid,
                     Body body) {
  const GridSampler sampler(context.attributes(), data.dims);
  const Converted<C> points(grid);
  const std::int64_t axes = grid.dim(-1);
  const std::int64_t per_image =
      element_count(std::span(grid.dims).subspan(1)) / std::max<std::int64_t>(1, axes);
  for (std::int64_t i = 0; i < data.dim(0) * per_image; ++i) {
    const std::vector<SampledElement<C>> elements = sampler.at<C>(points.data() + i * axes);
    for (std::int64_t channel = 0; channel < data.dim(1); ++channel) {
      const std::int64_t plane = i / per_image * data.dim(1) + channel;
      body(elements, i * axes, plane * sampler.channel_size(), plane * per_image + i % per_image);
    }
  }
}

/// Calls `body(offset of the image's transformation, offset of the point, coordinates of the point
/// followed by 1)` for every point of a grid [batch, spatial..., axes] that covers -1 to 1 along
/// each axis. The coordinate of the last axis comes first.
template <class Body>
void for_each_grid_point(const KernelContext& context, const TensorView& grid, Body body) {
  const bool aligned = context.attributes().integer("align_corners", 0) != 0;
  const auto axes = static_cast<std::size_t>(grid.dim(-1));
  std::vector<double> point(axes + 1, 1);
  for (std::int64_t i = 0; i < grid.elements() / std::max<std::int64_t>(1, grid.dim(-1)); ++i) {
    std::int64_t rest = i;
    for (std::size_t axis = axes; axis-- > 0;) {
      const std::int64_t size = grid.dims[axis + 1];
      const auto at = static_cast<double>(rest % size);
      const auto count = static_cast<double>(size);
      rest /= size;
      double coordinate = aligned ? -1 : (2 * at + 1) / count - 1;
      if (aligned && size > 1) coordinate = 2 * at / (count - 1) - 1;
      point[axes - 1 - axis] = coordinate;
    }
    body(rest * std::ssize(point) * (std::ssize(point) - 1), i * grid.dim(-1), point);
  }
}

}  // namespace

/// Inputs (X, grid)
void grid_sample(const KernelContext& context) {
  const auto sample = [&](auto* y, const auto* x) {
    using C = std::remove_pointer_t<decltype(y)>;
    for_each_sample<C>(
        context, context.in(0), context.in(1),
        [&](const auto& elements, std::int64_t, std::int64_t plane, std::int64_t place) {
          C sum = 0;
          for (const auto& each : elements) sum += each.weight * x[plane + each.offset];
          y[place] = sum;
        });
  };
  compute_real(context.out(), sample, context.in(0));
}

/// (dY, X, grid) -> dX, dgrid
void grid_sample_grad(const KernelContext& context) {
  const TensorView& grid = context.in(2);
  const auto axes = static_cast<std::size_t>(grid.dim(-1));
  with_real(context.in(1).element, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const Converted<C> dy(context.in(0));
    const Converted<C> x(context.in(1));
    std::vector<C> dx(static_cast<std::size_t>(context.in(1).elements()), C(0));
    std::vector<C> dgrid(static_cast<std::size_t>(grid.elements()), C(0));
    for_each_sample<C>(
        context, context.in(1), grid,
        [&](const auto& elements, std::int64_t point, std::int64_t plane, std::int64_t place) {
          const C gradient = dy.data()[place];
          for (const auto& each : elements) {
            const std::int64_t at = plane + each.offset;
            dx[static_cast<std::size_t>(at)] += gradient * each.weight;
            for (std::size_t axis = 0; axis < axes; ++axis) {
              dgrid[static_cast<std::size_t>(point) + axes - 1 - axis] +=
                  gradient * each.slopes[axis] * x.data()[at];
            }
          }
        });
    if (context.has_output(0)) store_numbers(dx, context.out(0));
    if (context.has_output(1)) store_numbers(dgrid, context.out(1));
  });
}

/// (theta [batch, n, n + 1], size): each point of the result is theta times (p, 1), where p is the
/// point at the same position of the regular grid.
void affine_grid(const KernelContext& context) {
  const std::vector<double> theta = numbers_of<double>(context.in(0));
  std::vector<double> grid(static_cast<std::size_t>(context.out().elements()));
  for_each_grid_point(context, context.out(), [&](auto theta_at, auto at, const auto& point) {
    const double* row = theta.data() + theta_at;
    for (std::size_t i = 0; i + 1 < point.size(); ++i, row += point.size()) {
      grid[static_cast<std::size_t>(at) + i] =
          std::inner_product(point.begin(), point.end(), row, 0.0);
    }
  });
  store_numbers(grid, context.out());
}

/// (dgrid) -> dtheta
void affine_grid_grad(const KernelContext& context) {
  const std::vector<double> dgrid = numbers_of<double>(context.in(0));
  std::vector<double> dtheta(static_cast<std::size_t>(context.out().elements()), 0);
  for_each_grid_point(context, context.in(0), [&](auto theta_at, auto at, const auto& point) {
    double* row = dtheta.data() + theta_at;
    for (std::size_t i = 0; i + 1 < point.size(); ++i, row += point.size()) {
      const double own = dgrid[static_cast<std::size_t>(at) + i];
      for (std::size_t k = 0; k < point.size(); ++k) row[k] += own * point[k];
    }
  });
  store_numbers(dtheta, context.out());
}

}  // namespace stashscope::cpu
