// Operators of PyTorch's own library that its exporter leaves in training graphs.

#include "core/ops/families.h"
#include "core/ops/rules.h"

namespace stashscope {

namespace {

/// (weight, indices, ...): rows of the weight.
void infer_embedding(ShapeContext& context) {
  Shape shape = context.shape(1);
  shape.push_back(context.dim(0, 1));
  context.set(0, context.element(0), std::move(shape));
}

/// (gradient, indices, number of rows, ...): gradient of the weight.
void infer_embedding_backward(ShapeContext& context) {
  const Contents* const rows = context.contents(2);
  if (rows == nullptr || rows->size() != 1) throw ShapeUnknown();
  context.set(0, context.element(0), {(*rows)[0], context.dim(0, -1)});
}

void infer_aten(ShapeContext& context) {
  const std::string name = context.attributes().text("operator", "");
  if (name == "embedding") return infer_embedding(context);
  if (name == "embedding_backward") return infer_embedding_backward(context);
  throw ShapeUnknown();
}

}  // namespace

void add_aten_ops(OpRegistry& registry) {
  registry.add({.domain = "org.pytorch.aten",
                .type = "ATen",
                .versions = {1},
                .infer = infer_aten,
                .flops = no_flops});
}

}  // namespace stashscope
