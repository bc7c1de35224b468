// Operators of PyTorch's library ATen that its exporter leaves in training graphs.

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

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

bool is_embedding_backward(const CostContext& cost) {
  return cost.node.attributes.text("operator", "") == "embedding_backward";
}

double aten_flops(const CostContext& cost) {
  return is_embedding_backward(cost) ? cost.input_elements(0) : 0;
}

/// Forward reads and writes the rows. Backward writes zeros everywhere, then reads and adds each
/// gradient.
double aten_bytes(const CostContext& cost) {
  if (!is_embedding_backward(cost)) return 2 * cost.bytes_of_output() + cost.bytes_of_input(1);
  return cost.bytes_of_output() + 3 * cost.bytes_of_input(0) + cost.bytes_of_input(1);
}

}  // namespace

void add_aten_ops(OpRegistry& registry) {
  registry.add({.domain = "org.pytorch.aten",
                .type = "ATen",
                .versions = {1},
                .infer = infer_aten,
                .flops = aten_flops,
                .bytes = aten_bytes});
}

}  // namespace stashscope
