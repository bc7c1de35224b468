// Matrix products.

#include <algorithm>

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

/// Whether the last two axes of an operand are swapped, and whether its batch axes come after its
/// rows (FusedMatMul's transBatch).
struct Transposition {
  bool matrix = false;
  bool batch = false;
};

/// The operand's shape in the product: batch axes, rows, columns.
Shape effective_shape(Shape shape, Transposition transposition) {
  const std::size_t rank = shape.size();
  if (transposition.batch && rank > 2)
    std::rotate(shape.begin(), shape.begin() + 1, shape.end() - 1);
  if (transposition.matrix && rank > 1) std::swap(shape[rank - 1], shape[rank - 2]);
  return shape;
}

/// numpy.matmul's rule: a vector is a row on the left and a column on the right; its extra axis is
/// dropped from the result.
Shape product_shape(ShapeContext& context, Shape a, Shape b) {
  if (a.empty() || b.empty()) context.fail("a matrix product needs operands of rank 1 or more");
  const bool left_vector = a.size() == 1;
  const bool right_vector = b.size() == 1;
  if (left_vector) a.insert(a.begin(), Expr(1));
  if (right_vector) b.push_back(Expr(1));
  context.same_dim(a.back(), b[b.size() - 2], "the inner dimensions of the matrix product");
  Shape result = context.broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  if (!left_vector) result.push_back(a[a.size() - 2]);
  if (!right_vector) result.push_back(b.back());
  return result;
}

void infer_matmul(ShapeContext& context) {
  context.require_same_element(0, 1);
  context.set_element(0, context.element(0));
  context.set_shape(0, product_shape(context, context.shape(0), context.shape(1)));
}

/// (A, B, [zero point of A], [zero point of B]) -> 32-bit sums
void infer_matmul_integer(ShapeContext& context) {
  context.set_element(0, ElementType::int32);
  context.set_shape(0, product_shape(context, context.shape(0), context.shape(1)));
}

/// (A with scale and zero point, B with scale and zero point, scale and zero point of Y) -> Y
void infer_quantized_matmul(ShapeContext& context) {
  context.set_element(0, context.element(7));
  context.set_shape(0, product_shape(context, context.shape(0), context.shape(3)));
}

/// [..., size, size] -> [...]
void infer_determinant(ShapeContext& context) {
  context.set_element(0, context.element(0));
  Shape shape = context.shape(0);
  if (shape.size() < 2) context.fail("its matrices need rank 2");
  context.require_dim(context.dim(0, -1), context.dim(0, -2), "the numbers of rows and columns");
  shape.resize(shape.size() - 2);
  context.set_shape(0, std::move(shape));
}

double determinant_flops(const CostContext& cost) {
  const auto& dims = cost.input_dims(0);
  return dims.empty() ? 0 : 2.0 / 3 * static_cast<double>(dims.back()) * cost.input_elements(0);
}

Transposition transposition_of(const Attributes& attributes, const char* matrix,
                               const char* batch) {
  return {attributes.integer(matrix, 0) != 0, attributes.integer(batch, 0) != 0};
}

void infer_fused_matmul(ShapeContext& context) {
  context.require_same_element(0, 1);
  context.set_element(0, context.element(0));
  const Transposition a = transposition_of(context.attributes(), "transA", "transBatchA");
  const Transposition b = transposition_of(context.attributes(), "transB", "transBatchB");
  context.set_shape(0, product_shape(context, effective_shape(context.shape(0), a),
                                     effective_shape(context.shape(1), b)));
}

void infer_gemm(ShapeContext& context) {
  context.require_same_element(0, 1);
  context.set_element(0, context.element(0));
  for (const std::size_t i : {0U, 1U}) {
    if (context.rank(i) != 2)
      context.fail("Gemm needs matrices, but input " + std::to_string(i) + " has shape " +
                   context.text(context.shape(i)));
  }
  const Shape a =
      effective_shape(context.shape(0), {context.attributes().integer("transA", 0) != 0});
  const Shape b =
      effective_shape(context.shape(1), {context.attributes().integer("transB", 0) != 0});
  context.same_dim(a[1], b[0], "the inner dimensions of Gemm");
  context.set_shape(0, {a[0], b[1]});
  if (!context.has_input(2)) return;
  context.require_same_element(0, 2);
  context.require_broadcastable(2, {a[0], b[1]});
}

/// The size of the axis over which the product sums, read from the dims of the left operand.
double inner_size(const CostContext& cost) {
  const auto& a = cost.input_dims(0);
  if (a.empty()) return 0;
  const Transposition transposition =
      transposition_of(cost.node.attributes, "transA", "transBatchA");
  if (!transposition.matrix || a.size() < 2) return static_cast<double>(a.back());
  const bool batch_behind = transposition.batch && a.size() > 2;
  return static_cast<double>(batch_behind ? a[0] : a[a.size() - 2]);
}

/// For each output element, a multiplication and an addition per element of the inner axis.
double matmul_flops(const CostContext& cost) {
  return 2 * cost.output_elements() * inner_size(cost);
}

/// The product, and the addition of C if C is present.
double gemm_flops(const CostContext& cost) {
  const bool adds = cost.node.inputs.size() > 2 && cost.node.inputs[2].valid();
  return matmul_flops(cost) + (adds ? cost.output_elements() : 0);
}

ValueId fused_matmul(GradientContext& g, ValueId a, ValueId b, bool trans_a, bool trans_b,
                     float alpha) {
  return g.add_microsoft("FusedMatMul", {a, b},
                         {{"transA", std::int64_t{trans_a}},
                          {"transB", std::int64_t{trans_b}},
                          {"transBatchA", std::int64_t{0}},
                          {"transBatchB", std::int64_t{0}},
                          {"alpha", alpha}});
}

ValueId gemm(GradientContext& g, ValueId a, ValueId b, bool trans_a, bool trans_b, float alpha) {
  return g.add("Gemm", {a, b},
               {{"alpha", alpha},
                {"beta", 0.0F},
                {"transA", std::int64_t{trans_a}},
                {"transB", std::int64_t{trans_b}}});
}

/// A product of two matrices, or of two stacks of matrices.
ValueId product(GradientContext& g, bool plain, ValueId a, ValueId b, bool trans_a, bool trans_b,
                float alpha) {
  return plain && g.opset() >= 11 ? gemm(g, a, b, trans_a, trans_b, alpha)
                                  : fused_matmul(g, a, b, trans_a, trans_b, alpha);
}

/// If many rows are multiplied by one matrix, the gradient of the matrix is a single product over
/// all rows. Returns an invalid id if a size of this matrix is not known as a number.
ValueId flattened_weight_gradient(GradientContext& g, bool trans_b, float alpha) {
  const auto inner = g.shape(g.input(0)).back().integer();
  const auto columns = g.shape(g.output()).back().integer();
  if (!inner || !columns) return ValueId();
  const ValueId a = g.add("Reshape", {g.input(0), g.int64s({-1, *inner})});
  const ValueId dy = g.add("Reshape", {g.gradient(), g.int64s({-1, *columns})});
  return trans_b ? gemm(g, dy, a, true, false, alpha) : gemm(g, a, dy, true, false, alpha);
}

/// Gradients of alpha * op(A) op(B) for operands of rank 2 and more. Without transposition,
/// dA = alpha * dY B' and dB = alpha * A' dY.
void give_product_gradients(GradientContext& g, bool trans_a, bool trans_b, float alpha) {
  const Shape a = g.shape(g.input(0));
  const Shape b = g.shape(g.input(1));
  const Shape y = g.shape(g.output());
  if (std::min({a.size(), b.size(), y.size()}) < 2) {
    fail_gradient("has no gradient rule for a vector operand");
  }
  const bool plain = a.size() == 2 && b.size() == 2;
  const ValueId dy = g.gradient();
  // The shape of an operand's gradient before it is summed over broadcast axes: the batch axes of
  // the product, then the matrix axes of the operand.
  const auto broadcast_shape = [&](const Shape& operand) {
    Shape shape(y.begin(), y.end() - 2);
    shape.insert(shape.end(), operand.end() - 2, operand.end());
    return shape;
  };
  if (g.wants(0)) {
    const ValueId da = trans_a ? product(g, plain, g.input(1), dy, trans_b, true, alpha)
                               : product(g, plain, dy, g.input(1), false, !trans_b, alpha);
    g.give_broadcast(0, da, broadcast_shape(a));
  }
  if (!g.wants(1)) return;
  if (b.size() == 2 && a.size() > 2 && !trans_a && g.opset() >= 11) {
    const ValueId db = flattened_weight_gradient(g, trans_b, alpha);
    if (db.valid()) return g.give(1, db);
  }
  const ValueId db = trans_b ? product(g, plain, dy, g.input(0), true, trans_a, alpha)
                             : product(g, plain, g.input(0), dy, !trans_a, false, alpha);
  g.give_broadcast(1, db, broadcast_shape(b));
}

/// Gradients of a product with a vector operand. The vector becomes a matrix of one row or column;
/// its gradient is a product that is summed over the axes that the vector lacks.
void give_vector_gradients(GradientContext& g) {
  const Shape a = g.shape(g.input(0));
  const Shape b = g.shape(g.input(1));
  // dY as [..., rows, columns]: puts back the axes that the product drops for vector operands.
  ValueId dy = g.gradient();
  const bool left = a.size() == 1;
  const bool right = b.size() == 1;
  if (left && right) dy = g.unsqueeze(dy, {0, 1});
  if (left != right) dy = g.unsqueeze(dy, {left ? -2 : -1});
  const ValueId matrix_a = left ? g.unsqueeze(g.input(0), {0}) : g.input(0);
  const ValueId matrix_b = right ? g.unsqueeze(g.input(1), {1}) : g.input(1);
  Shape batch = left ? Shape(b.begin(), b.end() - std::min<std::ptrdiff_t>(2, std::ssize(b)))
                     : Shape(a.begin(), a.end() - 2);
  const auto with_matrix = [&](const Expr& rows, const Expr& columns) {
    Shape shape = batch;
    shape.push_back(rows);
    shape.push_back(columns);
    return shape;
  };
  if (g.wants(0)) {
    const ValueId da = fused_matmul(g, dy, matrix_b, false, true, 1);
    if (left) {
      std::vector<std::int64_t> axes = all_axes(std::ssize(batch) + 1);
      g.give(0, g.reduce_sum(da, axes, false));
    } else {
      g.give_broadcast(0, da, with_matrix(a[a.size() - 2], a.back()));
    }
  }
  if (g.wants(1)) {
    const ValueId db = fused_matmul(g, matrix_a, dy, true, false, 1);
    if (right) {
      std::vector<std::int64_t> axes = all_axes(std::ssize(batch));
      axes.push_back(std::ssize(batch) + 1);
      g.give(1, g.reduce_sum(db, axes, false));
    } else {
      g.give_broadcast(1, db, with_matrix(b[b.size() - 2], b.back()));
    }
  }
}

void matmul_gradient(GradientContext& g) {
  if (g.rank(g.input(0)) < 2 || g.rank(g.input(1)) < 2) return give_vector_gradients(g);
  give_product_gradients(g, false, false, 1);
}

void fused_matmul_gradient(GradientContext& g) {
  const Attributes attributes = g.attributes();
  const Transposition a = transposition_of(attributes, "transA", "transBatchA");
  const Transposition b = transposition_of(attributes, "transB", "transBatchB");
  if (a.batch || b.batch) fail_gradient("FusedMatMul with transBatch has no gradient rule");
  give_product_gradients(g, a.matrix, b.matrix, attributes.real("alpha", 1));
}

/// Y = alpha * op(A) op(B) + beta * C
void gemm_gradient(GradientContext& g) {
  const Attributes attributes = g.attributes();
  const bool trans_a = attributes.integer("transA", 0) != 0;
  const bool trans_b = attributes.integer("transB", 0) != 0;
  give_product_gradients(g, trans_a, trans_b, attributes.real("alpha", 1));
  if (!g.wants(2)) return;
  const float beta = attributes.real("beta", 1);
  ValueId dc = g.gradient();
  if (beta != 1) dc = g.add("Mul", {dc, g.scalar_like(g.input(2), double{beta})});
  g.give_broadcast(2, dc);
}

}  // namespace

void add_matmul_ops(OpRegistry& registry) {
  registry.add({.type = "MatMul",
                .versions = {1, 9, 13},
                .operands = "A:number[1..] B=A[1..] -> Y",
                .infer = infer_matmul,
                .gradient = matmul_gradient,
                .flops = matmul_flops,
                .unit = ComputeUnit::matrix,
                .recompute = RecomputeLevel::advanced,
                .recompute_rules = {{{1, 9, 13}, {}}}});
  registry.add(
      {.type = "MatMulInteger",
       .versions = {10},
       .operands = "A:int8|uint8[1..] B:int8|uint8[1..] a_zero_point?=A b_zero_point?=B -> Y",
       .infer = infer_matmul_integer,
       .stops_gradients = true,
       .flops = matmul_flops,
       .unit = ComputeUnit::matrix});
  registry.add(
      {.type = "QLinearMatMul",
       .versions = {10, 21},
       .operands = "a:int8|uint8|float8[1..] a_scale:float a_zero_point=a b:int8|uint8|float8[1..] "
                   "b_scale:float b_zero_point=b y_scale:float y_zero_point:int8|uint8|float8 -> y",
       .infer = infer_quantized_matmul,
       .stops_gradients = true,
       .flops = matmul_flops,
       .unit = ComputeUnit::matrix});
  registry.add({.type = "Det",
                .versions = {11, 22},
                .operands = "X:float[2..] -> Y",
                .infer = infer_determinant,
                .flops = determinant_flops});
  registry.add(microsoft({.type = "FusedMatMul",
                          .operands = "A:float[1..] B=A[1..] -> Y",
                          .infer = infer_fused_matmul,
                          .gradient = fused_matmul_gradient,
                          .flops = matmul_flops,
                          .unit = ComputeUnit::matrix,
                          .recompute = RecomputeLevel::advanced,
                          .recompute_rules = {{{1}, {}}}}));
  registry.add({.type = "Gemm",
                .versions = {1, 6, 7, 9, 11, 13},
                .operands = {{1, "A:number[2] B=A[2] C=A[0..2] -> Y"},
                             {11, "A:number[2] B=A[2] C?=A[0..2] -> Y"}},
                .infer = infer_gemm,
                .gradient = gemm_gradient,
                .flops = gemm_flops,
                .unit = ComputeUnit::matrix,
                .recompute = RecomputeLevel::basic,
                .recompute_rules = {{{1, 6, 7, 9, 11, 13}, {}, true}}});
}

}  // namespace stashscope
