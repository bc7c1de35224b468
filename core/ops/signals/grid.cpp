// Sampling at the points of a grid, and grids of points.

#include <algorithm>
#include <cmath>

#include "core/ops/rules/known_texts.h"
#include "core/ops/rules/rules.h"
#include "core/ops/signals/ops.h"

namespace stashscope {

namespace {

/// data [batch, channels, spatial...], grid [batch, points..., spatial rank] ->
/// [batch, channels, points...]
/// @param first the index of the data input; the grid is the input after it
Shape sampled_shape(ShapeContext& context, std::size_t first) {
  const Shape& data = context.shape(first);
  const Shape& grid = context.shape(first + 1);
  if (data.size() < 3 || grid.size() != data.size()) {
    context.fail("its data and grid need the same rank, at least 3");
  }
  require_known_text(context, "mode", {"linear", "bilinear", "nearest", "cubic", "bicubic"});
  require_known_text(context, "padding_mode", {"zeros", "border", "reflection"});
  context.require_dim(data[0], grid[0], "the batch sizes of data and grid");
  context.require_dim(grid.back(), std::ssize(data) - 2,
                      "the number of coordinates of a point and the number of spatial axes");
  Shape shape = {context.same_dim(data[0], grid[0], "the batch sizes of data and grid"), data[1]};
  shape.insert(shape.end(), grid.begin() + 1, grid.end() - 1);
  return shape;
}

void infer_grid_sample(ShapeContext& context) {
  context.set(0, context.element(0), sampled_shape(context, 0));
}

/// (gradient, data, grid) -> gradients of data and grid
void infer_grid_sample_grad(ShapeContext& context) {
  context.require_shape(0, sampled_shape(context, 1));
  context.set_like_input(0, 1);
  context.set_like_input(1, 2);
}

void grid_sample_gradient(GradientContext& g) {
  const std::vector<ValueId> grads =
      g.add_microsoft("GridSampleGrad", {g.gradient(), g.input(0), g.input(1)},
                      std::vector<bool>{g.wants(0), g.wants(1)}, g.attributes());
  for (const std::size_t i : {0U, 1U}) {
    if (g.wants(i)) g.give(i, grads[i]);
  }
}

/// (theta [batch, n, n + 1], size [batch, channels, n spatial dims]) -> [batch, spatial..., n]
void infer_affine_grid(ShapeContext& context) {
  context.set_element(0, context.element(0));
  const Contents* const size = context.contents(1);
  const auto axes =
      size != nullptr ? std::optional(std::ssize(*size) - 2) : context.dim(0, 1).integer();
  if (!axes) throw ShapeUnknown();
  if (*axes != 2 && *axes != 3) context.fail("its transformations need 2 or 3 spatial axes");
  context.require_dim(context.dim(0, 1), *axes,
                      "the number of rows of a transformation and the number of spatial axes");
  context.require_dim(
      context.dim(0, 2), *axes + 1,
      "the number of columns of a transformation and the number of spatial axes + 1");
  if (size != nullptr) {
    context.require_dim((*size)[0], context.dim(0, 0),
                        "the batch size in its input 'size' and the number of transformations");
  }
  Shape shape = {context.dim(0, 0)};
  for (std::int64_t i = 0; i < *axes; ++i) {
    shape.push_back(size != nullptr ? (*size)[static_cast<std::size_t>(i) + 2]
                                    : context.data_dependent_dim(i + 1, std::nullopt));
  }
  shape.push_back(*axes);
  context.set_shape(0, std::move(shape));
}

/// (gradient [batch, spatial..., n]) -> [batch, n, n + 1]
void infer_affine_grid_grad(ShapeContext& context) {
  const std::int64_t axes = context.rank(0) - 2;
  context.require_dim(context.dim(0, -1), axes,
                      "the number of coordinates of a point and the number of spatial axes");
  context.set(0, context.element(0), {context.dim(0, 0), axes, axes + 1});
}

void affine_grid_gradient(GradientContext& g) {
  g.give(0, g.add_microsoft("AffineGridGrad", {g.gradient()}, g.attributes()));
}

/// A sampled value is a weighted sum of the neighbours of a point. A point has 2 neighbours along
/// each axis, 4 in cubic mode and 1 in mode `nearest`. The gradients of data and grid each cost as
/// much as the sampling.
/// @tparam data the index of the data among the inputs: 0 for GridSample, 1 for GridSampleGrad
template <std::size_t data>
double sampling_flops(const CostContext& cost) {
  const std::string mode = cost.node.attributes.text("mode", "linear");
  const bool cubic = mode == "cubic" || mode == "bicubic";
  const double along = mode == "nearest" ? 1 : cubic ? 4 : 2;
  const double axes = std::max(0.0, static_cast<double>(cost.input_dims(data).size()) - 2);
  const double values = data == 0 ? cost.output_elements() : 2 * cost.input_elements(0);
  return 2 * std::pow(along, axes) * values;
}

}  // namespace

void add_grid_ops(OpRegistry& registry) {
  registry.add({.type = "GridSample",
                .versions = {16, 20, 22},
                .operands = "X[3..] grid:float[3..] -> Y",
                .infer = infer_grid_sample,
                .gradient = grid_sample_gradient,
                .flops = sampling_flops<0>});
  registry.add(microsoft({.type = "GridSampleGrad",
                          .operands = "dY:float[3..] X=dY[3..] grid:float[3..] -> dX? dGrid?",
                          .infer = infer_grid_sample_grad,
                          .flops = sampling_flops<1>}));
  registry.add({.type = "AffineGrid",
                .versions = {20},
                .operands = "theta:float[3] size:int64[1] -> grid",
                .infer = infer_affine_grid,
                .gradient = affine_grid_gradient,
                .flops = flops_per_element<6>});
  registry.add(microsoft({.type = "AffineGridGrad",
                          .operands = "dGrid:float[3..] -> dTheta",
                          .infer = infer_affine_grid_grad,
                          .flops = flops_per_input_element<6>}));
}

}  // namespace stashscope
