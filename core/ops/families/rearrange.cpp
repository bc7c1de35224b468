// DepthToSpace and SpaceToDepth.

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

}  // namespace

void add_rearrange_ops(OpRegistry& registry) {
  registry.add(data_movement("DepthToSpace", {1, 11, 13}, infer_depth_to_space,
                             depth_to_space_gradient, {}));
  registry.add(
      data_movement("SpaceToDepth", {1, 13}, infer_space_to_depth, space_to_depth_gradient, {}));
}

}  // namespace stashscope
