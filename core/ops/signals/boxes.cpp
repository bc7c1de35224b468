// Pooling of image regions (RoiAlign) and deformable convolutions (DeformConv).

#include "core/ops/rules/known_texts.h"
#include "core/ops/rules/rules.h"
#include "core/ops/signals/ops.h"

namespace stashscope {

namespace {

/// (data [batch, channels, height, width], regions [regions, 4], batch index of each region) ->
/// [regions, channels, pooled height, pooled width]
void infer_roi_align(ShapeContext& context) {
  context.set_element(0, context.element(0));
  if (context.rank(0) != 4) context.fail("its data needs rank 4");
  require_known_text(context, "mode", {"avg", "max"});
  require_known_text(context, "coordinate_transformation_mode",
                     {"half_pixel", "output_half_pixel"});
  context.require_dim(context.dim(1, 1), 4,
                      "the number of columns of its regions and the number of coordinates");
  const std::int64_t height = context.attributes().integer("output_height", 1);
  const std::int64_t width = context.attributes().integer("output_width", 1);
  if (height < 1 || width < 1) context.fail("its result has no rows or no columns");
  if (context.dim(0, 2).is(0) || context.dim(0, 3).is(0)) context.fail("its images are empty");
  const Expr regions = context.same_dim(context.dim(1, 0), context.dim(2, 0),
                                        "the numbers of regions and of batch indices");
  context.set_shape(0, {regions, context.dim(0, 1), height, width});
}

/// (data, weights, offsets [batch, ..., positions...], [bias], [mask]) ->
/// [batch, output channels, positions...]
void infer_deform_conv(ShapeContext& context) {
  context.set_element(0, context.element(0));
  if (context.rank(0) != 4 || context.rank(1) != 4 || context.rank(2) != 4) {
    context.fail("its data, weights and offsets need rank 4");
  }
  const Shape& offsets = context.shape(2);
  const std::int64_t groups = context.attributes().integer("offset_group", 1);
  const Expr taps = Expr(groups) * context.dim(1, 2) * context.dim(1, 3);
  context.require_dim(offsets[0], context.dim(0, 0), "the batch sizes of data and offsets");
  context.require_dim(offsets[1], 2 * taps,
                      "the number of offset channels and 2 * offset groups * taps");
  context.require_length(3, context.dim(1, 0),
                         "the length of the bias and the number of output channels");
  context.require_shape(4, {context.dim(0, 0), taps, offsets[2], offsets[3]});
  context.set_shape(0, {context.dim(0, 0), context.dim(1, 0), offsets[2], offsets[3]});
}

/// Each output element uses all weights of its output channel. Each of these weights takes 10
/// operations: 8 for the weighted sum of four neighbours, 2 to multiply this sum by the weight and
/// to add the product.
double deform_conv_flops(const CostContext& cost) {
  const auto& weights = cost.input_dims(1);
  double per_output = 10;
  for (std::size_t i = 1; i < weights.size(); ++i) per_output *= static_cast<double>(weights[i]);
  return per_output * cost.output_elements();
}

}  // namespace

void add_box_ops(OpRegistry& registry) {
  registry.add({.type = "RoiAlign",
                .versions = {10, 16, 22},
                .operands = "X:float[4] rois=X[2] batch_indices:int64[1] -> Y",
                .infer = infer_roi_align,
                .flops = flops_per_element<32>});
  registry.add({.type = "DeformConv",
                .versions = {19, 22},
                .operands = "X:float[3..] W=X[3..] offset=X[3..] B?=X[1] mask?=X[3..] -> Y",
                .infer = infer_deform_conv,
                .flops = deform_conv_flops});
}

}  // namespace stashscope
