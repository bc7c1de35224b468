// Writing by index, and the gradients of reading by index.

#include <limits>

#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/cuda/codegen/index_text.h"
#include "core/run/cuda/codegen/strided_copy.h"
#include "core/run/cuda/ops/families.h"
#include "core/run/shared/walk.h"

namespace stashscope::cuda {

namespace {

using Dims = std::vector<std::int64_t>;

/// Dims of the output [outer, size, columns] and of the updates [outer, count, columns] that are
/// written to the output's rows.
struct WrittenRows {
  std::int64_t outer = 1;
  std::int64_t size = 1;
  std::int64_t count = 1;
  std::int64_t columns = 1;
};

/// The type in kernels/scatter.cuh that adds up the updates of a row.
constexpr const char* sum_up = "SumUp";

/// The type in kernels/scatter.cuh for the attribute `reduction`.
std::string combination_of(const LoweringContext& context) {
  const std::string reduction = context.attributes().text("reduction", "none");
  const bool flags = context.out().element == ElementType::boolean;
  if (reduction == "none") return "Change<Replace>";
  if (reduction == "add") return flags ? "Change<KeepGreater>" : "Change<Plus>";
  if (reduction == "mul") return "Change<Times>";
  if (reduction == "max") return "Change<KeepGreater>";
  if (reduction == "min") return "Change<KeepLesser>";
  fail_run("", "has the unknown reduction '" + printable(reduction) + "'");
}

void require_32_bits(std::int64_t count) {
  if (count >= std::numeric_limits<std::int32_t>::max()) {
    fail_run("", "scatters of 2^31 - 1 or more rows are not supported on CUDA devices");
  }
}

/// Scratch memory: the indices of all written rows in ascending order, and for each of these rows
/// the index of its update.
struct SortedRows {
  Operand rows;
  Operand updates;
};

/// Adds calls that turn input 1 into row indices and sort them.
/// @param numbering the kernel that turns input 1 into row indices
/// @param arguments template arguments of `numbering`
SortedRows add_sorted_rows(Lowered& lowered, const LoweringContext& context,
                           const WrittenRows& rows, const char* numbering,
                           const std::vector<std::string>& arguments) {
  require_32_bits(rows.size);
  require_32_bits(rows.count);
  const std::int64_t bytes = rows.count * std::int64_t{sizeof(std::int32_t)};
  const Operand numbers = lowered.add_scratch(bytes);
  CallText numbered;
  const std::vector<std::string> read_and_made = {numbered.reads(context, 1),
                                                  numbered.pointer("Int32", numbers)};
  lowered.add(
      numbered.call(invocation(numbering, arguments, read_and_made), launch_of(rows.count)));

  const Operand updates = lowered.add_scratch(bytes);
  if (rows.count == 1) {
    lowered.add(ZeroCall{updates, bytes});
    return {numbers, updates};
  }
  const Operand sorted = lowered.add_scratch(bytes);
  CallText text;
  const std::vector<std::string> operands = {text.pointer("const Int32", numbers),
                                             text.pointer("Int32", sorted),
                                             text.pointer("Int32", updates)};
  constexpr std::int64_t rows_of_block = 32;
  lowered.add(text.call(invocation("sort_rows", arguments_of(rows.count), operands),
                        {(rows.count + rows_of_block - 1) / rows_of_block, 256}));

  return {sorted, updates};
}

/// Combines the updates in input 2 with the rows of the output.
KernelCall combining_call(const LoweringContext& context, const WrittenRows& rows,
                          const std::string& combination, const SortedRows& sorted) {
  constexpr std::int64_t warps = 8;
  const OperandType& out = context.out();
  const std::int64_t width = even_width(widest_access({out.element}), {rows.columns});
  const std::int64_t columns = rows.outer * rows.columns;
  const std::int64_t chunks = (columns + 32 * width - 1) / (32 * width);
  CallText text;
  const std::vector<std::string> operands = {text.pointer("const Int32", sorted.rows),
                                             text.pointer("const Int32", sorted.updates),
                                             text.reads(context, 2), text.writes(context)};
  const auto arguments = arguments_of(device_type(out.element), combination, combination == sum_up,
                                      width, index_type(columns * std::max(rows.size, rows.count)),
                                      rows.outer, rows.size, rows.count, rows.columns);
  return text.call(invocation("combine_rows", arguments, operands),
                   {(rows.count + warps - 1) / warps * chunks, 256});
}

bool has_work(const WrittenRows& rows) {
  return rows.outer * rows.count * rows.columns > 0 && rows.size > 0;
}

/// The inputs are (shape, indices, dy).
Lowered gather_grad(const LoweringContext& context) {
  const auto split = kernels::split_at(context.out().dims, context.attributes().integer("axis", 0));
  const WrittenRows rows{split.outer, split.size, context.in(1).elements(), split.inner};
  Lowered lowered;
  lowered.add(ZeroCall{output(), context.out().bytes()});
  if (!has_work(rows)) return lowered;
  const SortedRows sorted =
      add_sorted_rows(lowered, context, rows, "number_rows", arguments_of(rows.count, rows.size));
  lowered.add(combining_call(context, rows, sum_up, sorted));
  return lowered;
}

/// Combines the updates with the slices of the output that index tuples address.
void add_slice_updates(Lowered& lowered, const LoweringContext& context, const Slices& slices,
                       const std::string& combination) {
  const WrittenRows rows{1, context.out().elements() / std::max<std::int64_t>(slices.length, 1),
                         slices.tuples, slices.length};
  if (!has_work(rows)) return;
  const SortedRows sorted = add_sorted_rows(
      lowered, context, rows, "number_slices",
      arguments_of(slices.tuples, slices.per_batch, slices.batch_slices, slices.axes));
  lowered.add(combining_call(context, rows, combination, sorted));
}

/// The inputs are (shape, indices, dy).
Lowered gather_nd_grad(const LoweringContext& context) {
  Lowered lowered;
  lowered.add(ZeroCall{output(), context.out().bytes()});
  add_slice_updates(lowered, context,
                    slices_of(context.in(1).dims, context.out().dims,
                              context.attributes().integer("batch_dims", 0)),
                    sum_up);
  return lowered;
}

/// The inputs are (data, indices, updates).
Lowered scatter_nd(const LoweringContext& context) {
  Lowered lowered;
  lowered.add(CopyCall{input(0), output(), context.out().bytes()});
  add_slice_updates(lowered, context, slices_of(context.in(1).dims, context.out().dims, 0),
                    combination_of(context));
  return lowered;
}

/// Combines each update with the element of the output that its index along an axis points to.
void add_element_updates(Lowered& lowered, const LoweringContext& context, std::size_t indices,
                         std::size_t updates, const std::string& combination) {
  const OperandType& out = context.out();
  const std::int64_t count = context.in(indices).elements();
  if (count == 0 || out.elements() == 0) return;
  const ElementsAlong along =
      elements_along(context.in(indices).dims, out.dims, context.attributes().integer("axis", 0));
  CallText text;
  const std::vector<std::string> operands = {text.reads(context, indices),
                                             text.reads(context, updates), text.writes(context)};
  const auto arguments = arguments_of(
      device_type(out.element), combination, index_type(std::max(count, out.elements())), count,
      along.line, along.line_step, along.size, along.stride, along.axes);
  lowered.add(text.call(invocation("combine_elements", arguments, operands), launch_of(count)));
}

/// The inputs are (dy, shape, indices).
Lowered gather_elements_grad(const LoweringContext& context) {
  Lowered lowered;
  lowered.add(ZeroCall{output(), context.out().bytes()});
  add_element_updates(lowered, context, 2, 0, sum_up);
  return lowered;
}

/// The inputs are (data, indices, updates).
Lowered scatter_elements(const LoweringContext& context) {
  Lowered lowered;
  lowered.add(CopyCall{input(0), output(), context.out().bytes()});
  add_element_updates(lowered, context, 1, 2, combination_of(context));
  return lowered;
}

}  // namespace

void add_scatter_kernels(CudaKernelRegistry& registry) {
  registry.add("", "ScatterElements", {.lower = scatter_elements});
  registry.add("", "Scatter", {.lower = scatter_elements});
  registry.add("", "ScatterND", {.lower = scatter_nd});
  for (const char* domain : {"", "com.microsoft"}) {
    registry.add(domain, "GatherGrad", {.lower = gather_grad, .host_inputs = {0}});
    registry.add(domain, "GatherNDGrad", {.lower = gather_nd_grad, .host_inputs = {0}});
  }
  registry.add("com.microsoft", "GatherElementsGrad",
               {.lower = gather_elements_grad, .host_inputs = {1}});
}

}  // namespace stashscope::cuda
