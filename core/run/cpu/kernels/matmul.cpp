// Matrix products.

#include <cmath>
#include <map>
#include <numeric>

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/matrix.h"
#include "core/run/cpu/primitives/quantized.h"
#include "core/run/shared/numbers.h"
#include "core/run/shared/walk.h"

namespace stashscope::cpu {

namespace {

/// A tensor seen as a stack of matrices along its batch axes; strides are in elements.
struct MatrixStack {
  std::vector<std::int64_t> batch;
  std::vector<std::int64_t> batch_strides;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t row_stride = 1;
  std::int64_t column_stride = 1;
};

struct Transposition {
  bool matrix = false;
  bool batch = false;  ///< the row axis comes before the batch axes
};

MatrixStack stack_of(std::vector<std::int64_t> dims, Transposition transposition) {
  std::vector<std::int64_t> strides = dense_strides(dims);
  if (transposition.batch && dims.size() > 2) {
    std::rotate(dims.begin(), dims.begin() + 1, dims.end() - 1);
    std::rotate(strides.begin(), strides.begin() + 1, strides.end() - 1);
  }
  MatrixStack stack;
  stack.columns = dims.back();
  stack.column_stride = strides.back();
  stack.rows = dims[dims.size() - 2];
  stack.row_stride = strides[dims.size() - 2];
  if (transposition.matrix) {
    std::swap(stack.rows, stack.columns);
    std::swap(stack.row_stride, stack.column_stride);
  }
  stack.batch.assign(dims.begin(), dims.end() - 2);
  stack.batch_strides.assign(strides.begin(), strides.end() - 2);
  return stack;
}

/// A vector is a row if it is the left operand, and a column if it is the right operand.
/// (numpy.matmul)
MatrixStack left_stack(std::vector<std::int64_t> dims, Transposition transposition) {
  if (dims.size() > 1) return stack_of(std::move(dims), transposition);
  return stack_of({1, dims[0]}, {});
}
MatrixStack right_stack(std::vector<std::int64_t> dims, Transposition transposition) {
  if (dims.size() > 1) return stack_of(std::move(dims), transposition);
  return stack_of({dims[0], 1}, {});
}

/// If `b` is a single matrix and all rows of the stack `a` are evenly spaced, turns `a` into one
/// tall matrix.
void merge_rows(MatrixStack& a, const MatrixStack& b) {
  if (!b.batch.empty()) return;
  std::int64_t rows = a.rows;
  for (std::size_t i = a.batch.size(); i-- > 0;) {
    if (a.batch[i] != 1 && a.batch_strides[i] != rows * a.row_stride) return;
    rows *= a.batch[i];
  }
  a.rows = rows;
  a.batch.clear();
  a.batch_strides.clear();
}

/// The strides of a stack along the axes of `batch`: 0 where the stack's axis has size 1 or is
/// missing, because the matrices of the stack repeat there.
std::vector<std::int64_t> batch_strides_in(const std::vector<std::int64_t>& batch,
                                           const MatrixStack& stack) {
  std::vector<std::int64_t> strides(batch.size(), 0);
  const std::size_t missing = batch.size() - stack.batch.size();
  for (std::size_t i = 0; i < stack.batch.size(); ++i) {
    if (stack.batch[i] != 1) strides[missing + i] = stack.batch_strides[i];
  }
  return strides;
}

std::vector<std::int64_t> broadcast_batch(const MatrixStack& a, const MatrixStack& b) {
  const bool a_longer = a.batch.size() >= b.batch.size();
  std::vector<std::int64_t> batch = a_longer ? a.batch : b.batch;
  const std::vector<std::int64_t>& other = a_longer ? b.batch : a.batch;
  const std::size_t missing = batch.size() - other.size();
  for (std::size_t i = 0; i < other.size(); ++i) {
    if (batch[missing + i] == 1) batch[missing + i] = other[i];
  }
  return batch;
}

/// product[batch, rows, columns] = a b
template <class C>
void multiply_stacks(const C* a_data, MatrixStack a, const C* b_data, const MatrixStack& b,
                     C* product) {
  merge_rows(a, b);
  const std::vector<std::int64_t> batch = broadcast_batch(a, b);
  std::vector<std::int64_t> strides = dense_strides(batch);
  for (std::int64_t& stride : strides) stride *= a.rows * b.columns;
  const StridedWalk<3> walk(batch,
                            {strides, batch_strides_in(batch, a), batch_strides_in(batch, b)});
  walk.for_each_run([&](const auto& at, std::int64_t count, const auto& step) {
    for (std::int64_t i = 0; i < count; ++i) {
      multiply(
          Matrix<C>{a_data + at[1] + i * step[1], a.rows, a.columns, a.row_stride, a.column_stride},
          Matrix<C>{b_data + at[2] + i * step[2], b.rows, b.columns, b.row_stride, b.column_stride},
          product + at[0] + i * step[0]);
    }
  });
}

/// Calls `body(TypeTag<C>())` for the type C in which products of `element` are computed; integer
/// products wrap.
template <class Body>
void with_product_type(ElementType element, Body body) {
  is_floating(element) ? with_real(element, body) : body(TypeTag<std::uint64_t>());
}

template <class C>
C factor_of(float factor) {
  if constexpr (std::is_integral_v<C>) return static_cast<C>(static_cast<std::int64_t>(factor));
  return static_cast<C>(factor);
}

template <class C>
void scale(C* items, std::int64_t count, float factor) {
  if (factor == 1) return;
  const C by = factor_of<C>(factor);
  for (std::int64_t i = 0; i < count; ++i) items[i] *= by;
}

/// Multiplies inputs 0 and 1 into output 0; `finish(product)` changes the product before it is
/// stored.
template <class Finish>
void multiply_inputs(const KernelContext& context, const MatrixStack& a, const MatrixStack& b,
                     float alpha, Finish finish) {
  const TensorView& out = context.out();
  with_product_type(out.element, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const Converted<C> left(context.in(0));
    const Converted<C> right(context.in(1));
    make_converted<C>(out, [&](C* product) {
      multiply_stacks(left.data(), a, right.data(), b, product);
      scale(product, out.elements(), alpha);
      finish(product);
    });
  });
}

constexpr auto as_it_is = [](auto*) {};

void matmul(const KernelContext& context) {
  multiply_inputs(context, left_stack(context.in(0).dims, {}), right_stack(context.in(1).dims, {}),
                  1, as_it_is);
}

Transposition transposition_of(const Attributes& attributes, const char* matrix,
                               const char* batch) {
  return {attributes.integer(matrix, 0) != 0, attributes.integer(batch, 0) != 0};
}

void fused_matmul(const KernelContext& context) {
  const Attributes& attributes = context.attributes();
  multiply_inputs(
      context,
      left_stack(context.in(0).dims, transposition_of(attributes, "transA", "transBatchA")),
      right_stack(context.in(1).dims, transposition_of(attributes, "transB", "transBatchB")),
      attributes.real("alpha", 1), as_it_is);
}

/// items += beta * addend; the addend is broadcast to `dims`.
template <class C>
void add_scaled(const TensorView& addend, float beta, const std::vector<std::int64_t>& dims,
                C* items) {
  const Converted<C> from(addend);
  const C factor = factor_of<C>(beta);
  const StridedWalk<2> walk(dims, {dense_strides(dims), broadcast_strides(dims, addend.dims)});
  walk.for_each_run([&](const auto& at, std::int64_t count, const auto& step) {
    C* const to = items + at[0];
    const C* const add = from.data() + at[1];
    for (std::int64_t i = 0; i < count; ++i) to[i] += factor * add[i * step[1]];
  });
}

/// alpha * A B + beta * C
void gemm(const KernelContext& context) {
  const Attributes& attributes = context.attributes();
  const MatrixStack a = stack_of(context.in(0).dims, {attributes.integer("transA", 0) != 0});
  const MatrixStack b = stack_of(context.in(1).dims, {attributes.integer("transB", 0) != 0});
  const float beta = attributes.real("beta", 1);
  multiply_inputs(context, a, b, attributes.real("alpha", 1), [&](auto* product) {
    if (context.has_input(2) && beta != 0) {
      add_scaled(context.in(2), beta, context.out().dims, product);
    }
  });
}

TensorView optional_input(const KernelContext& context, std::size_t index) {
  return context.has_input(index) ? context.in(index) : TensorView();
}

/// A quantized operand of a product: indices of its inputs, and the axis along which a list of
/// scales or zero points runs.
struct QuantizedPlaces {
  std::size_t items;
  std::size_t scale;
  std::size_t zero_point;
  std::int64_t axis;
};

/// The exact product of two quantized operands.
std::vector<double> quantized_product(const KernelContext& context, const QuantizedPlaces& left,
                                      const QuantizedPlaces& right) {
  const auto numbers = [&](const QuantizedPlaces& places) {
    return real_numbers(context.in(places.items), optional_input(context, places.scale),
                        optional_input(context, places.zero_point), places.axis);
  };
  const std::vector<double> a = numbers(left);
  const std::vector<double> b = numbers(right);
  std::vector<double> product(static_cast<std::size_t>(context.out().elements()), 0);
  multiply_stacks(a.data(), left_stack(context.in(left.items).dims, {}), b.data(),
                  right_stack(context.in(right.items).dims, {}), product.data());
  return product;
}

constexpr std::size_t no_input = 99;

/// Inputs (A, B, [zero point of A], [zero point of B])
void matmul_integer(const KernelContext& context) {
  store_numbers(quantized_product(context, {0, no_input, 2, -2}, {1, no_input, 3, -1}),
                context.out());
}

/// Inputs (A, scale of A, zero point of A, B, scale of B, zero point of B, scale of Y, zero point
/// of Y)
void quantized_matmul(const KernelContext& context) {
  store_quantized(quantized_product(context, {0, 1, 2, -2}, {3, 4, 5, -1}), context.in(6),
                  context.in(7), context.out());
}

/// The determinant by elimination. The pivot of a column is its element of greatest absolute value.
double determinant(std::vector<double> matrix, std::int64_t size) {
  const auto at = [&](std::int64_t row, std::int64_t column) -> double& {
    return matrix[static_cast<std::size_t>(row * size + column)];
  };
  double product = 1;
  for (std::int64_t column = 0; column < size; ++column) {
    std::int64_t pivot = column;
    for (std::int64_t row = column + 1; row < size; ++row) {
      if (std::abs(at(row, column)) > std::abs(at(pivot, column))) pivot = row;
    }
    if (at(pivot, column) == 0) return 0;
    if (pivot != column) product = -product;
    for (std::int64_t i = 0; i < size; ++i) std::swap(at(pivot, i), at(column, i));
    product *= at(column, column);
    for (std::int64_t row = column + 1; row < size; ++row) {
      const double factor = at(row, column) / at(column, column);
      for (std::int64_t i = column; i < size; ++i) at(row, i) -= factor * at(column, i);
    }
  }
  return product;
}

void determinants(const KernelContext& context) {
  const std::vector<double> items = numbers_of<double>(context.in(0));
  const std::int64_t size = context.in(0).dim(-1);
  std::vector<double> results;
  for (std::int64_t i = 0; i < context.out().elements(); ++i) {
    const auto begin = items.begin() + i * size * size;
    results.push_back(determinant({begin, begin + size * size}, size));
  }
  store_numbers(results, context.out());
}

}  // namespace

void add_matmul_kernels(KernelRegistry& registry) {
  registry.add("", "MatMulInteger", {matmul_integer});
  registry.add("", "QLinearMatMul", {quantized_matmul});
  registry.add("", "Det", {determinants});
  registry.add("", "MatMul", {matmul});
  registry.add("com.microsoft", "FusedMatMul", {fused_matmul});
  registry.add("", "Gemm", {gemm});
}

}  // namespace stashscope::cpu
