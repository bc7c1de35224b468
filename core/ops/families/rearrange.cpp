// Operators that move elements: DepthToSpace, SpaceToDepth, Pad, Col2Im and CenterCropPad.

#include <limits>

#include "core/ops/families/families.h"
#include "core/ops/rules/pads_attribute.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

std::int64_t block_size(ShapeContext& context) {
  const std::int64_t size = context.attributes().require_integer("blocksize");
  if (size < 1) context.fail("its block size " + std::to_string(size) + " is below 1");
  // The square of a larger size could overflow 64 bits.
  if (size > std::numeric_limits<std::int32_t>::max()) context.fail("its block size is too large");
  return size;
}

void require_multiple(const ShapeContext& context, const Expr& size, std::int64_t of) {
  const auto number = size.integer();
  if (number && *number % of != 0) {
    context.fail("the size " + context.text(size) + " is not a multiple of " + std::to_string(of));
  }
}

void infer_depth_to_space(ShapeContext& context) {
  context.set_element(0, context.element(0));
  const std::int64_t size = block_size(context);
  const Shape& x = context.shape(0);
  require_multiple(context, x[1], size * size);
  context.set_shape(0, {x[0], floor_divide(x[1], size * size), x[2] * size, x[3] * size});
}

void infer_space_to_depth(ShapeContext& context) {
  context.set_element(0, context.element(0));
  const std::int64_t size = block_size(context);
  const Shape& x = context.shape(0);
  for (const std::size_t axis : {2U, 3U}) require_multiple(context, x[axis], size);
  context.set_shape(
      0, {x[0], x[1] * (size * size), floor_divide(x[2], size), floor_divide(x[3], size)});
}

/// SpaceToDepth inverts the default order; no operator inverts the order CRD.
void depth_to_space_gradient(GradientContext& g) {
  if (g.attributes().text("mode", "DCR") != "DCR") {
    fail_gradient("DepthToSpace in the order CRD has no gradient rule");
  }
  const Attributes block = {{"blocksize", g.attributes().require_integer("blocksize")}};
  g.give(0, g.add("SpaceToDepth", {g.gradient()}, block));
}

void space_to_depth_gradient(GradientContext& g) {
  g.give(0, g.add("DepthToSpace", {g.gradient()}, g.attributes()));
}

/// (blocks [batch, channels * block elements, blocks], image dims, block dims) ->
/// [batch, channels, image...]
void infer_col_to_im(ShapeContext& context) {
  context.set_element(0, context.element(0));
  if (context.rank(0) != 3) context.fail("its input needs rank 3");
  const auto block = context.integers(2);
  const Contents* const image = context.contents(1);
  if (!block || image == nullptr) throw ShapeUnknown();
  if (block->size() != image->size()) context.fail("its image and its blocks differ in rank");
  Expr elements = 1;
  for (const std::int64_t size : *block) {
    if (size < 1) context.fail("its blocks have an axis of size " + std::to_string(size));
    elements = elements * Expr(size);
  }
  Shape shape = {context.dim(0, 0), floor_divide(context.dim(0, 1), elements)};
  shape.insert(shape.end(), image->begin(), image->end());
  context.set_shape(0, std::move(shape));
}

/// (gradient, dims of the blocks, block dims) -> gradient of the blocks
void col_to_im_gradient(GradientContext& g) {
  g.give(0, g.add_microsoft("Col2ImGrad", {g.gradient(), g.shape_of(g.input(0)), g.input(2)},
                            g.attributes()));
}

void infer_col_to_im_grad(ShapeContext& context) { infer_shaped_by(context, 1, 0); }

std::vector<std::int64_t> centred_axes(const Attributes& attributes, std::int64_t rank) {
  return attributes.has("axes") ? attributes.integers("axes") : all_axes(rank);
}

/// (data, new sizes of `axes`)
void infer_center_crop_pad(ShapeContext& context) {
  context.set_element(0, context.element(0));
  Shape shape = context.shape(0);
  const std::vector<std::int64_t> axes = centred_axes(context.attributes(), context.rank(0));
  const Contents* const sizes = context.contents(1);
  if (sizes != nullptr && sizes->size() != axes.size()) {
    context.fail("its number of sizes differs from its number of axes");
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = context.axis(axes[i], context.rank(0));
    if (sizes != nullptr && is_positive(-(*sizes)[i])) context.fail("a size is negative");
    shape[static_cast<std::size_t>(axis)] =
        sizes != nullptr ? (*sizes)[i] : context.data_dependent_dim(axis, std::nullopt);
  }
  context.set_shape(0, std::move(shape));
}

/// The gradient pads the cropped axes with zeros, and crops the padded axes.
void center_crop_pad_gradient(GradientContext& g) {
  ValueId sizes = g.shape_of(g.input(0));
  if (g.attributes().has("axes")) {
    sizes = g.add("Gather", {sizes, g.int64s(g.attributes().integers("axes"))});
  }
  g.give(0, g.add("CenterCropPad", {g.gradient(), sizes}, g.attributes()));
}

/// The pads, in the order of the axes: all starts, then all ends. Nothing if the input's elements
/// are not known.
/// @param input the input with the pads; 0: they are an attribute
std::optional<Shape> read_pads(ShapeContext& context, std::size_t input) {
  if (input == 0) {
    const Integers pads = context.attributes().integers(pads_attribute(context.version()));
    return Shape(pads.begin(), pads.end());
  }
  const Contents* const known = context.contents(input);
  if (known == nullptr) return std::nullopt;
  return Shape(known->begin(), known->end());
}

/// `shape` with the pads added. Without known pads, the padded axes get unknown dims.
Shape padded_shape(ShapeContext& context, Shape shape, std::size_t pads_input) {
  std::vector<std::int64_t> axes = all_axes(std::ssize(shape));
  if (context.has_input(3)) {
    const auto known = context.integers(3);
    if (!known) throw ShapeUnknown();
    axes = *known;
    for (std::int64_t& axis : axes) axis = context.axis(axis, std::ssize(shape));
  }
  const bool copies = context.attributes().text("mode", "constant") != "constant";
  const auto pads = read_pads(context, pads_input);
  if (pads && pads->size() != 2 * axes.size()) {
    context.fail("has " + std::to_string(pads->size()) + " pads for " +
                 std::to_string(axes.size()) + " axes");
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Expr& dim = shape[static_cast<std::size_t>(axes[i])];
    const bool is_empty = dim.is(0);
    dim = pads ? dim + (*pads)[i] + (*pads)[i + axes.size()] : context.unknown_dim();
    if (copies && is_empty && !dim.is(0)) context.fail("pads an axis that has no elements to copy");
  }
  return shape;
}

void infer_pad(ShapeContext& context) {
  context.set_element(0, context.element(0));
  context.set_shape(0, padded_shape(context, context.shape(0), context.version() < 11 ? 0 : 1));
}

/// (gradient, shape, pads, [axes]) -> gradient of the data
void infer_pad_grad(ShapeContext& context) {
  infer_shaped_by(context, 1, 0);
  context.require_shape(0, padded_shape(context, *context.outputs()[0].type.shape, 2));
}

/// Padding with a constant is undone by padding with the negative amounts.
void pad_gradient(GradientContext& g) {
  const std::string mode = g.attributes().text("mode", "constant");
  const char* const name = pads_attribute(g.opset());
  if (mode != "constant") {
    const ValueId pads = g.opset() < 11 ? g.int64s(g.attributes().integers(name)) : g.input(1);
    std::vector<ValueId> inputs = {g.gradient(), g.shape_of(g.input(0)), pads};
    if (g.has_input(3)) inputs.push_back(g.input(3));
    g.give(0, g.add_microsoft("PadGrad", std::move(inputs), {{"mode", mode}}));
    return;
  }
  if (g.opset() < 11) {
    Integers pads = g.attributes().integers(name);
    for (std::int64_t& pad : pads) {
      if (pad == std::numeric_limits<std::int64_t>::min())
        fail_gradient("Pad by the least integer has no gradient rule");
      pad = -pad;
    }
    g.give(0, g.add("Pad", {g.gradient()}, {{name, pads}}));
    return;
  }
  std::vector<ValueId> inputs = {g.gradient(), g.add("Neg", {g.input(1)})};
  if (g.has_input(3)) {
    inputs.push_back(ValueId());
    inputs.push_back(g.input(3));
  }
  g.give(0, g.add("Pad", std::move(inputs)));
}

}  // namespace

void add_rearrange_ops(OpRegistry& registry) {
  registry.add(data_movement("DepthToSpace", {1, 11, 13}, "input[4] -> output",
                             infer_depth_to_space, depth_to_space_gradient, {}));
  registry.add(data_movement("SpaceToDepth", {1, 13}, "input[4] -> output", infer_space_to_depth,
                             space_to_depth_gradient, {}));
  registry.add(data_movement(
      "Pad", {1, 2, 11, 13, 18, 19, 21, 23, 24},
      {{1, "data -> output"},
       {11, "data pads:int64[1] constant_value?=data[0..1] -> output"},
       {18, "data pads:int64[1] constant_value?=data[0..1] axes?:index[1] -> output"}},
      infer_pad, pad_gradient, {}));
  registry.add(microsoft({.type = "PadGrad",
                          .operands = "dY:float shape:int64[1] pads:int64[1] axes?:index[1] -> dX",
                          .infer = infer_pad_grad,
                          .flops = no_flops}));
  registry.add({.type = "Col2Im",
                .versions = {18},
                .operands = "input[3] image_shape:int64[1] block_shape:int64[1] -> output",
                .infer = infer_col_to_im,
                .gradient = col_to_im_gradient,
                .flops = flops_per_input_element<1>});
  registry.add(microsoft({.type = "Col2ImGrad",
                          .operands = "dY:float[3..] shape:int64[1] block_shape:int64[1] -> dX",
                          .infer = infer_col_to_im_grad,
                          .flops = no_flops}));
  registry.add(data_movement("CenterCropPad", {18}, "input_data[1..] shape:index[1] -> output_data",
                             infer_center_crop_pad, center_crop_pad_gradient, {}));
}

}  // namespace stashscope
