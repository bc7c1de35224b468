// Resize, Upsample and their gradients.

#include <algorithm>

#include "core/base/error.h"
#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

/// The axes to which scales or sizes apply: the attribute `axes` (since version 18), else all axes.
std::vector<std::int64_t> resized_axes(ShapeContext& context) {
  std::vector<std::int64_t> axes = context.attributes().integers("axes");
  if (axes.empty()) return all_axes(context.rank(0));
  for (std::int64_t& axis : axes) axis = context.axis(axis, context.rank(0));
  return axes;
}

void scale_dims(ShapeContext& context, Shape& shape, const Contents& scales) {
  const std::vector<std::int64_t> axes = resized_axes(context);
  if (scales.size() != axes.size())
    context.fail("its number of scales differs from its number of resized axes");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Expr& dim = shape[static_cast<std::size_t>(axes[i])];
    dim = floor(dim * scales[i]);
  }
}

/// Scales all `axes` by one factor: the smallest factor that `sizes` imply if `policy` is
/// `not_larger`, else the largest. Dims are rounded, halves up. Throws ShapeUnknown for symbolic
/// sizes and for an axis of size 0. (ONNX, Resize, keep_aspect_ratio_policy)
void scale_evenly(Shape& shape, const Contents& sizes, const std::vector<std::int64_t>& axes,
                  const std::string& policy) {
  std::optional<Expr> scale;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto wanted = sizes[i].integer();
    const auto size = shape[static_cast<std::size_t>(axes[i])].integer();
    if (!wanted || !size || *size == 0) throw ShapeUnknown();
    const Expr own(Rational::ratio(*wanted, *size));
    if (!scale) {
      scale = own;
    } else {
      scale = policy == "not_larger" ? minimum(*scale, own) : maximum(*scale, own);
    }
  }
  for (const std::int64_t axis : axes) {
    Expr& dim = shape[static_cast<std::size_t>(axis)];
    dim = floor(dim * *scale + Expr(Rational::ratio(1, 2)));
  }
}

void infer_resized(ShapeContext& context) {
  context.set_element(0, context.element(0));
  Shape shape = context.shape(0);
  const std::size_t scales_input = context.version() >= 11 ? 2 : 1;
  const std::size_t axes_count = resized_axes(context).size();
  if (context.has_shape(3)) {
    context.require_length(3, static_cast<std::int64_t>(axes_count),
                           "the number of sizes and the number of resized axes");
  }
  const Contents* const scales = context.contents(scales_input);
  if (scales != nullptr && !scales->empty()) {
    scale_dims(context, shape, *scales);
    context.set_shape(0, std::move(shape));
    return;
  }
  const std::vector<std::int64_t> axes = resized_axes(context);
  const Contents* const sizes = context.contents(3);
  if (sizes == nullptr && !context.has_input(3) && !context.has_input(scales_input)) {
    context.fail("has neither scales nor sizes");
  }
  const std::string policy = context.attributes().text("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller") {
    fail_input("", "has the unknown keep_aspect_ratio_policy '" + printable(policy) + "'",
               "use stretch, not_larger or not_smaller");
  }
  if (policy != "stretch") {
    if (sizes == nullptr) throw ShapeUnknown();
    scale_evenly(shape, *sizes, axes, policy);
    context.set_shape(0, std::move(shape));
    return;
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    shape[static_cast<std::size_t>(axes[i])] =
        sizes != nullptr ? (*sizes)[i] : context.unknown_dim();
  }
  context.set_shape(0, std::move(shape));
}

void infer_upsampled(ShapeContext& context) {
  context.set_element(0, context.element(0));
  Shape shape = context.shape(0);
  const Contents* const scales = context.contents(1);
  if (scales == nullptr) throw ShapeUnknown();
  scale_dims(context, shape, *scales);
  context.set_shape(0, std::move(shape));
}

/// An axis without elements cannot be resized to one with elements.
void require_elements(const ShapeContext& context, const Shape& data, const Shape& resized) {
  for (std::size_t i = 0; i < std::min(data.size(), resized.size()); ++i) {
    if (data[i].is(0) && !resized[i].is(0)) context.fail("resizes an axis that has no elements");
  }
}

/// (gradient, shape of the data, [roi], [scales]) -> gradient of the data
void infer_resize_grad(ShapeContext& context) {
  infer_shaped_by(context, 1, 0);
  const Shape& data = *context.outputs()[0].type.shape;
  if (std::ssize(data) != context.rank(0)) {
    context.fail("its gradient " + context.text(context.shape(0)) + " and its data " +
                 context.text(data) + " differ in rank");
  }
  require_elements(context, data, context.shape(0));
  Integers axes = context.attributes().integers("axes");
  if (axes.empty()) axes = all_axes(context.rank(0));
  for (const std::int64_t axis : axes) context.axis(axis, context.rank(0));
  if (context.has_shape(3) && !context.dim(3, 0).is(0)) {
    context.require_length(3, std::ssize(axes),
                           "the number of scales and the number of resized axes");
  }
}

template <void (*infer)(ShapeContext&)>
void checked(ShapeContext& context) {
  infer(context);
  const auto& resized = context.outputs()[0].type.shape;
  if (resized) require_elements(context, context.shape(0), *resized);
}

void resize_gradient(GradientContext& g) {
  if (g.attributes().text("keep_aspect_ratio_policy", "stretch") != "stretch") {
    fail_gradient("Resize that keeps the aspect ratio has no gradient rule");
  }
  const bool early = g.opset() < 11;
  std::vector<ValueId> inputs = {g.gradient(), g.shape_of(g.input(0))};
  inputs.push_back(!early && g.has_input(1) ? g.input(1) : ValueId());
  const std::size_t scales = early ? 1 : 2;
  inputs.push_back(g.has_input(scales) ? g.input(scales) : ValueId());
  while (!inputs.back().valid()) inputs.pop_back();
  Attributes attributes = g.attributes();
  if (early) {
    // Older versions of the forward operator always use these modes. The gradient operator needs
    // them as attributes, because its defaults are the modes of newer versions.
    attributes.set("coordinate_transformation_mode", "asymmetric");
    attributes.set("nearest_mode", "floor");
  }
  g.give(0, g.add_microsoft("ResizeGrad", std::move(inputs), std::move(attributes)));
}

}  // namespace

void add_resize_ops(OpRegistry& registry) {
  registry.add({.type = "Resize",
                .versions = {10, 11, 13, 18, 19},
                .operands = {{10, "X[1..] scales:float32[1] -> Y"},
                             {11, "X[1..] roi?:float[1] scales?:float32[1] sizes?:int64[1] -> Y"}},
                .infer = checked<infer_resized>,
                .gradient = resize_gradient,
                .flops = flops_per_element<8>});
  registry.add({.type = "Upsample",
                .versions = {7, 9, 10},
                .operands = {{7, "X[1..] -> Y"}, {9, "X[1..] scales:float32[1] -> Y"}},
                .infer = checked<infer_upsampled>,
                .gradient = resize_gradient,
                .flops = flops_per_element<8>});
  registry.add(microsoft({.type = "ResizeGrad",
                          .operands = "dY:float[1..] shape:int64[1] roi?:float[1] "
                                      "scales?:float32[1] -> dX",
                          .infer = infer_resize_grad,
                          .flops = flops_per_element<8>}));
}

}  // namespace stashscope
