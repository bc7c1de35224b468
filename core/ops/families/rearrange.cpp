// DepthToSpace and SpaceToDepth; blocks that form an image; cropping and padding at the centre.

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

std::int64_t block_size(ShapeContext& context) {
  const std::int64_t size = context.attributes().require_integer("blocksize");
  if (size < 1) context.fail("its block size " + std::to_string(size) + " is below 1");
  if (context.rank(0) != 4) context.fail("its input needs rank 4");
  return size;
}

void infer_depth_to_space(ShapeContext& context) {
  context.set_element(0, context.element(0));
  const std::int64_t size = block_size(context);
  const Shape& x = context.shape(0);
  context.set_shape(0, {x[0], floor_divide(x[1], size * size), x[2] * size, x[3] * size});
}

void infer_space_to_depth(ShapeContext& context) {
  context.set_element(0, context.element(0));
  const std::int64_t size = block_size(context);
  const Shape& x = context.shape(0);
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
    if (size < 1) context.fail("its blocks have a size of " + std::to_string(size));
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
    context.fail("its sizes do not match its axes");
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = context.axis(axes[i], context.rank(0));
    if (sizes != nullptr && is_positive(-(*sizes)[i])) context.fail("a size is negative");
    shape[static_cast<std::size_t>(axis)] =
        sizes != nullptr ? (*sizes)[i] : context.data_dependent_dim(axis, std::nullopt);
  }
  context.set_shape(0, std::move(shape));
}

/// What was cropped is padded with zeros, and what was padded is cropped.
void center_crop_pad_gradient(GradientContext& g) {
  ValueId sizes = g.shape_of(g.input(0));
  if (g.attributes().has("axes")) {
    sizes = g.add("Gather", {sizes, g.int64s(g.attributes().integers("axes"))});
  }
  g.give(0, g.add("CenterCropPad", {g.gradient(), sizes}, g.attributes()));
}

}  // namespace

void add_rearrange_ops(OpRegistry& registry) {
  registry.add(data_movement("DepthToSpace", {1, 11, 13}, infer_depth_to_space,
                             depth_to_space_gradient, {}));
  registry.add(
      data_movement("SpaceToDepth", {1, 13}, infer_space_to_depth, space_to_depth_gradient, {}));
  registry.add({.type = "Col2Im",
                .versions = {18},
                .infer = infer_col_to_im,
                .gradient = col_to_im_gradient,
                .flops = flops_per_input_element<1>});
  registry.add(microsoft({.type = "Col2ImGrad", .infer = infer_col_to_im_grad, .flops = no_flops}));
  registry.add(
      data_movement("CenterCropPad", {18}, infer_center_crop_pad, center_crop_pad_gradient, {}));
}

}  // namespace stashscope
