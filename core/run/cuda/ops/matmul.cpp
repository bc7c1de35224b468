// Matrix products.

#include <algorithm>

#include "core/run/cuda/codegen/box.h"
#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/cuda/codegen/strided_copy.h"
#include "core/run/cuda/ops/families.h"
#include "core/run/shared/walk.h"

namespace stashscope::cuda {

namespace {

using Dims = std::vector<std::int64_t>;

/// A tensor seen as a stack of matrices along its batch axes. `rows` and `columns` are counted
/// after the transposition.
struct MatrixStack {
  Dims batch;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  bool transposed = false;

  std::int64_t count() const { return element_count(batch); }
};

MatrixStack stack_of(const Dims& dims, bool transposed) {
  MatrixStack stack{{dims.begin(), dims.end() - 2}, dims[dims.size() - 2], dims.back(), transposed};
  if (transposed) std::swap(stack.rows, stack.columns);
  return stack;
}

/// A vector is a row on the left and a column on the right. (numpy.matmul)
MatrixStack left_stack(const Dims& dims, bool transposed) {
  return dims.size() > 1 ? stack_of(dims, transposed) : stack_of({1, dims[0]}, false);
}
MatrixStack right_stack(const Dims& dims, bool transposed) {
  return dims.size() > 1 ? stack_of(dims, transposed) : stack_of({dims[0], 1}, false);
}

/// If `b` is a single matrix and `a` is not transposed, turns the stack `a` into one tall matrix.
void merge_rows(MatrixStack& a, MatrixStack& b) {
  if (b.count() != 1 || a.transposed) return;
  a.rows *= a.count();
  a.batch.clear();
  b.batch.clear();
}

Dims broadcast_batch(const MatrixStack& a, const MatrixStack& b) {
  const bool a_longer = a.batch.size() >= b.batch.size();
  Dims batch = a_longer ? a.batch : b.batch;
  const Dims& other = a_longer ? b.batch : a.batch;
  const std::size_t missing = batch.size() - other.size();
  for (std::size_t i = 0; i < other.size(); ++i) {
    if (batch[missing + i] == 1) batch[missing + i] = other[i];
  }
  return batch;
}

/// The strides of the stack's matrices, in elements, along the axes of the broadcast batch.
Dims batch_strides(const Dims& batch, const MatrixStack& stack) {
  Dims strides = kernels::broadcast_strides(batch, stack.batch);
  for (std::int64_t& stride : strides) stride *= stack.rows * stack.columns;
  return strides;
}

constexpr std::size_t of_a = 0;
constexpr std::size_t of_b = 1;
constexpr std::size_t of_d = 2;

/// The axes of the batch. The longest axis comes last, because a single library call covers the
/// last axis.
kernels::StridedWalk<3> batch_walk(const MatrixStack& a, const MatrixStack& b) {
  const Dims batch = broadcast_batch(a, b);
  Dims d_strides = kernels::dense_strides(batch);
  for (std::int64_t& stride : d_strides) stride *= a.rows * b.columns;
  Box<3> box = merged_box<3>(batch, {batch_strides(batch, a), batch_strides(batch, b), d_strides});
  std::stable_sort(box.begin(), box.end(),
                   [](const auto& left, const auto& right) { return left.size < right.size; });
  Dims sizes;
  std::array<Dims, 3> steps;
  for (const BoxAxis<3>& axis : box) {
    sizes.push_back(axis.size);
    for (std::size_t k = 0; k < 3; ++k) steps[k].push_back(axis.steps[k]);
  }
  return {sizes, steps};
}

/// The shape of the product of inputs 0 and 1, except for the batch.
MatmulShape shape_of(const LoweringContext& context, const MatrixStack& a, const MatrixStack& b) {
  const ElementType element = context.out().element;
  if (!is_floating(element)) {
    fail_run("", "products of elements of type " + std::string(name_of(element)) +
                     " are not supported on CUDA devices");
  }
  return {.element = element,
          .rows = a.rows,
          .columns = b.columns,
          .inner = a.columns,
          .transpose_a = a.transposed,
          .transpose_b = b.transposed,
          .rounds_to_tf32 = context.rounds_to_tf32 && element == ElementType::float32};
}

/// Adds the calls that compute the product of inputs 0 and 1.
/// @param shape the result of shape_of
void add_products(Lowered& lowered, MatmulShape shape, const MatrixStack& a, const MatrixStack& b,
                  std::optional<Operand> bias) {
  batch_walk(a, b).for_each_run([&](const auto& at, std::int64_t count, const auto& step) {
    shape.batch = count;
    shape.stride_a = count > 1 ? step[of_a] : 0;
    shape.stride_b = count > 1 ? step[of_b] : 0;
    shape.stride_d = count > 1 ? step[of_d] : 0;
    lowered.add(MatmulCall{.shape = shape,
                           .a = input(0),
                           .b = input(1),
                           .d = output(),
                           .bias = bias,
                           .offset_a = at[of_a],
                           .offset_b = at[of_b],
                           .offset_d = at[of_d]});
  });
}

Lowered product(const LoweringContext& context, MatrixStack a, MatrixStack b, float alpha) {
  merge_rows(a, b);
  MatmulShape shape = shape_of(context, a, b);
  shape.alpha = alpha;
  Lowered lowered;
  if (context.out().elements() == 0) return lowered;
  if (shape.inner == 0) {
    lowered.add(ZeroCall{output(), context.out().bytes()});
  } else {
    add_products(lowered, shape, a, b, {});
  }
  return lowered;
}

Lowered matmul(const LoweringContext& context) {
  return product(context, left_stack(context.in(0).dims, false),
                 right_stack(context.in(1).dims, false), 1);
}

void refuse_batch_transposition(const LoweringContext& context, std::size_t operand,
                                const char* attribute) {
  if (context.attributes().integer(attribute, 0) != 0 && context.in(operand).rank() > 2) {
    fail_run("", std::string(attribute) + " is not supported on CUDA devices");
  }
}

Lowered fused_matmul(const LoweringContext& context) {
  const Attributes& attributes = context.attributes();
  refuse_batch_transposition(context, 0, "transBatchA");
  refuse_batch_transposition(context, 1, "transBatchB");
  return product(context, left_stack(context.in(0).dims, attributes.integer("transA", 0) != 0),
                 right_stack(context.in(1).dims, attributes.integer("transB", 0) != 0),
                 attributes.real("alpha", 1));
}

/// A call that broadcasts input 2 to the dims of the output and stores beta * input 2 there.
KernelCall scaled_addend(const LoweringContext& context, float beta) {
  const OperandType& out = context.out();
  const Box<2> box = merged_box<2>(
      out.dims,
      {kernels::broadcast_strides(out.dims, context.in(2).dims), kernels::dense_strides(out.dims)});
  CallText text;
  const std::string addend = text.reads(context, 2);
  const std::string d = text.writes(context);
  const auto arguments = arguments_of(device_type(out.element), index_type(out.elements()),
                                      out.elements(), axis_texts(box));
  return text.call(invocation("scale_addend", arguments, {addend, float_text(beta), d}),
                   launch_of(out.elements()));
}

/// Whether the addend is a row that the library can add. (The library cannot add rows of float64.)
bool is_bias(const OperandType& addend, std::int64_t columns) {
  return addend.element != ElementType::float64 && addend.rank() > 0 &&
         addend.elements() == columns && addend.dim(-1) == columns;
}

/// alpha * A B + beta * C
Lowered gemm(const LoweringContext& context) {
  const Attributes& attributes = context.attributes();
  const MatrixStack a = stack_of(context.in(0).dims, attributes.integer("transA", 0) != 0);
  const MatrixStack b = stack_of(context.in(1).dims, attributes.integer("transB", 0) != 0);
  MatmulShape shape = shape_of(context, a, b);
  shape.alpha = attributes.real("alpha", 1);
  const float beta = attributes.real("beta", 1);
  Lowered lowered;
  if (context.out().elements() == 0) return lowered;
  const bool adds = context.has_input(2) && beta != 0;
  const bool biased = adds && beta == 1 && shape.inner > 0 && is_bias(context.in(2), shape.columns);
  if (biased) {
    shape.addend = MatmulShape::Addend::bias;
  } else if (adds) {
    shape.addend = MatmulShape::Addend::own;
    lowered.add(scaled_addend(context, beta));
  } else if (shape.inner == 0) {
    lowered.add(ZeroCall{output(), context.out().bytes()});
  }
  if (shape.inner > 0) {
    add_products(lowered, shape, a, b, biased ? std::optional(input(2)) : std::nullopt);
  }
  return lowered;
}

}  // namespace

void add_matmul_kernels(CudaKernelRegistry& registry) {
  registry.add("", "MatMul", {.lower = matmul});
  registry.add("com.microsoft", "FusedMatMul", {.lower = fused_matmul});
  registry.add("", "Gemm", {.lower = gemm});
}

}  // namespace stashscope::cuda
