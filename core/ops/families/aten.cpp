// Operators of PyTorch's library ATen that PyTorch's exporter leaves in training graphs.

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

void require_embedding(const ShapeContext& context) {
  const ElementType element = context.element(0);
  if (element != ElementType::undefined &&
      (!is_floating(element) || bits_per_element(element) < 16)) {
    context.fail("cannot embed elements of type " + std::string(name_of(element)));
  }
  const ElementType indices = context.element(1);
  if (indices != ElementType::undefined && !is_integer(indices)) {
    context.fail("its indices have elements of type " + std::string(name_of(indices)));
  }
}

/// (weight, indices, ...): rows of the weight.
void infer_embedding(ShapeContext& context) {
  require_embedding(context);
  if (context.rank(0) != 2) context.fail("the weight of an embedding needs 2 axes");
  Shape shape = context.shape(1);
  shape.push_back(context.dim(0, 1));
  context.set(0, context.element(0), std::move(shape));
}

/// (gradient, indices, number of rows, ...): gradient of the weight.
void infer_embedding_backward(ShapeContext& context) {
  const Contents* const rows = context.contents(2);
  if (rows == nullptr || rows->size() != 1) throw ShapeUnknown();
  require_embedding(context);
  if (context.rank(0) != context.rank(1) + 1)
    context.fail("its gradient needs one axis more than its indices");
  for (std::int64_t axis = 0; axis < context.rank(1); ++axis) {
    context.require_dim(context.dim(0, axis), context.dim(1, axis), "its gradient and its indices");
  }
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

/// `embedding` reads and writes rows. `embedding_backward` writes zeros everywhere, then reads and
/// adds each gradient.
double aten_bytes(const CostContext& cost) {
  if (!is_embedding_backward(cost)) return 2 * cost.bytes_of_output() + cost.bytes_of_input(1);
  return cost.bytes_of_output() + 3 * cost.bytes_of_input(0) + cost.bytes_of_input(1);
}

}  // namespace

void add_aten_ops(OpRegistry& registry) {
  registry.add({.domain = "org.pytorch.aten",
                .type = "ATen",
                .versions = {1},
                .operands = "operands*?:value -> results*",
                .infer = infer_aten,
                .flops = aten_flops,
                .bytes = aten_bytes});
}

}  // namespace stashscope
