// Operators that select a part of their input, or the indices of such a part. The size of the part
// depends on the data.

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

/// (tensor, condition with at most one entry per position) -> the elements or slices at the
/// positions where the condition is true
void infer_compress(ShapeContext& context) {
  context.set_element(0, context.element(0));
  const Expr conditions = context.dim(1, 0);
  if (!context.attributes().has("axis")) {
    const auto all = element_count(context.type(0));
    const Expr most = all ? minimum(*all, conditions) : conditions;
    context.set_shape(0, {context.data_dependent_dim(0, most)});
    return;
  }
  Shape shape = context.shape(0);
  const std::int64_t axis =
      context.axis(context.attributes().require_integer("axis"), context.rank(0));
  Expr& along = shape[static_cast<std::size_t>(axis)];
  along = context.data_dependent_dim(axis, minimum(along, conditions));
  context.set_shape(0, std::move(shape));
}

/// tensor -> (distinct elements or slices, their first positions, inverse indices, counts)
void infer_unique(ShapeContext& context) {
  context.set_element(0, context.element(0));
  for (std::size_t i = 1; i < context.output_count(); ++i) {
    context.set_element(i, ElementType::int64);
  }
  Shape shape = context.shape(0);
  std::int64_t axis = 0;
  if (context.attributes().has("axis")) {
    axis = context.axis(context.attributes().require_integer("axis"), context.rank(0));
  } else {
    shape = {*element_count(context.type(0))};
  }
  Expr& along = shape[static_cast<std::size_t>(axis)];
  const Expr places = along;
  along = context.data_dependent_dim(axis, places);
  for (const std::size_t counted : {1U, 3U}) {
    if (context.has_output(counted)) context.set_shape(counted, {along});
  }
  if (context.has_output(2)) context.set_shape(2, {places});
  context.set_shape(0, std::move(shape));
}

/// (boxes [batches, boxes, 4], scores [batches, classes, boxes], optional limit per class, ...) ->
/// [selected, 3]
void infer_non_max_suppression(ShapeContext& context) {
  context.set_element(0, ElementType::int64);
  context.require_dim(context.dim(0, 0), context.dim(1, 0), "the batch sizes of boxes and scores");
  context.require_dim(context.dim(0, 1), context.dim(1, 2), "the numbers of boxes and scores");
  context.require_dim(context.dim(0, 2), 4,
                      "the size of the last axis of the boxes and the number of coordinates");
  Expr per_class = context.dim(0, 1);
  // The limit of boxes per class defaults to 0, which selects nothing.
  const Contents* const limit = context.has_input(2) ? context.contents(2) : nullptr;
  if (!context.has_input(2)) per_class = 0;
  if (limit != nullptr && limit->size() == 1) per_class = minimum(per_class, (*limit)[0]);
  const Expr most = context.dim(1, 0) * context.dim(1, 1) * per_class;
  context.set_shape(0, {context.data_dependent_dim(0, most), 3});
}

Op selecting(std::string type, std::vector<std::int64_t> versions, const char* operands,
             void (*infer)(ShapeContext&), bool stops_gradients) {
  return {.type = std::move(type),
          .versions = std::move(versions),
          .operands = operands,
          .infer = infer,
          .stops_gradients = stops_gradients};
}

}  // namespace

void add_data_dependent_ops(OpRegistry& registry) {
  registry.add(
      selecting("Compress", {9, 11}, "input condition:bool[1] -> output", infer_compress, false));
  registry.add(
      selecting("Unique", {11}, "X -> Y indices? inverse_indices? counts?", infer_unique, false));
  registry.add(
      selecting("NonMaxSuppression", {10, 11},
                "boxes:float32[3] scores:float32[3] max_output_boxes_per_class?:int64[0..1] "
                "iou_threshold?:float32[0..1] score_threshold?:float32[0..1] -> selected",
                infer_non_max_suppression, true));
}

}  // namespace stashscope
