// Writing by index, and the gradients of reading by index.

#include <limits>

#include "core/run/cpu/walk.h"
#include "core/run/cuda/element_text.h"
#include "core/run/cuda/families.h"
#include "core/run/cuda/index_text.h"
#include "core/run/cuda/strided_copy.h"

namespace stashscope::cuda {

namespace {

using Dims = std::vector<std::int64_t>;

/// Rows [outer, size, columns] of the output that updates [outer, count, columns] go to.
struct Rows {
  std::int64_t outer = 1;
  std::int64_t size = 1;
  std::int64_t count = 1;
  std::int64_t columns = 1;
};

/// How the updates of a row are combined, as kernels/scatter.cuh names it.
constexpr const char* sum_up = "SumUp";

/// By the attribute `reduction`.
std::string combination_of(const LoweringContext& context) {
  const std::string reduction = context.attributes().text("reduction", "none");
  const bool flags = context.out().element == ElementType::boolean;
  if (reduction == "none") return "Change<Replace>";
  if (reduction == "add") return flags ? "Change<KeepGreater>" : "Change<Plus>";
  if (reduction == "mul") return "Change<Times>";
  if (reduction == "max") return "Change<KeepGreater>";
  if (reduction == "min") return "Change<KeepLesser>";
  fail_run("", "does not know the reduction '" + printable(reduction) + "'");
}

/// The widest part of a row that a thread takes: up to 16 bytes.
std::int64_t width_of(ElementType element, std::int64_t columns) {
  std::int64_t width = 16 / element_bytes(element);
  while (columns % width != 0) width /= 2;
  return width;
}

void require_32_bits(std::int64_t count) {
  if (count >= std::numeric_limits<std::int32_t>::max()) {
    fail_run("", "writing to 2^31 rows or more is not supported on CUDA devices");
  }
}

/// Scratch memory with the numbers of all rows that are written to, in ascending order, and the
/// update that belongs to each.
struct SortedRows {
  Operand rows;
  Operand updates;
};

/// @param numbering a kernel that writes the row of each update, but for its last operand
SortedRows add_sorted_rows(Lowered& lowered, const Rows& rows, KernelCall numbering) {
  require_32_bits(rows.size);
  require_32_bits(rows.count);
  const std::int64_t bytes = rows.count * std::int64_t{sizeof(std::int32_t)};
  const Operand numbers = lowered.add_scratch(bytes);
  numbering.operands.push_back(numbers);
  numbering.shape = launch_of(rows.count);
  lowered.calls.push_back(std::move(numbering));
  const Operand updates = lowered.add_scratch(bytes);
  if (rows.count == 1) {
    lowered.calls.push_back(ZeroCall{updates, bytes});
    return {numbers, updates};
  }
  const Operand sorted = lowered.add_scratch(bytes);
  const std::string text = "(const Int32* rows, Int32* sorted, Int32* updates) {\n  sort_rows<" +
                           std::to_string(rows.count) + ">(rows, sorted, updates);\n}\n";
  constexpr std::int64_t rows_of_block = 32;
  lowered.calls.push_back(KernelCall{
      text, {(rows.count + rows_of_block - 1) / rows_of_block, 256}, {numbers, sorted, updates}});
  return {sorted, updates};
}

/// Combines the updates of `updates` with the rows of the output.
KernelCall combining_call(const LoweringContext& context, const Rows& rows,
                          const std::string& combination, const SortedRows& sorted,
                          Operand updates) {
  constexpr std::int64_t warps = 8;
  const ElementType element = context.out().element;
  const std::int64_t width = width_of(element, rows.columns);
  const std::int64_t columns = rows.outer * rows.columns;
  const std::int64_t chunks = (columns + 32 * width - 1) / (32 * width);
  const std::string type = device_type(element);
  const std::string text =
      "(const Int32* sorted, const Int32* updates, const " + type + "* from, " + type +
      "* to) {\n  combine_rows<" + type + ", " + combination + ", " +
      (combination == sum_up ? "true" : "false") + ", " + std::to_string(width) + ", " +
      index_type(columns * std::max(rows.size, rows.count)) + ", " + std::to_string(rows.outer) +
      ", " + std::to_string(rows.size) + ", " + std::to_string(rows.count) + ", " +
      std::to_string(rows.columns) + ">(sorted, updates, from, to);\n}\n";
  return {text,
          {(rows.count + warps - 1) / warps * chunks, 256},
          {sorted.rows, sorted.updates, updates, output()}};
}

bool has_work(const Rows& rows) {
  return rows.outer * rows.count * rows.columns > 0 && rows.size > 0;
}

KernelCall row_numbering(const LoweringContext& context, std::size_t indices, const Rows& rows) {
  const std::string text = "(const " + device_type(context.in(indices).element) +
                           "* indices, Int32* rows) {\n  number_rows<" +
                           std::to_string(rows.count) + ", " + std::to_string(rows.size) +
                           ">(indices, rows);\n}\n";
  return {text, {}, {input(indices)}};
}

KernelCall slice_numbering(const LoweringContext& context, std::size_t indices,
                           const Slices& slices) {
  const std::string text = "(const " + device_type(context.in(indices).element) +
                           "* tuples, Int32* rows) {\n  number_slices<" +
                           std::to_string(slices.tuples) + ", " + std::to_string(slices.per_batch) +
                           ", " + std::to_string(slices.batch_slices) + slices.axes +
                           ">(tuples, rows);\n}\n";
  return {text, {}, {input(indices)}};
}

/// (shape, indices, dy)
Lowered gather_grad(const LoweringContext& context) {
  const auto split = cpu::split_at(context.out().dims, context.attributes().integer("axis", 0));
  const Rows rows{split.outer, split.size, context.in(1).elements(), split.inner};
  Lowered lowered;
  lowered.calls.push_back(ZeroCall{output(), context.out().bytes()});
  if (!has_work(rows)) return lowered;
  const SortedRows sorted = add_sorted_rows(lowered, rows, row_numbering(context, 1, rows));
  lowered.calls.push_back(combining_call(context, rows, sum_up, sorted, input(2)));
  return lowered;
}

/// Combines the updates that index tuples lead to the slices of the output.
void add_slice_updates(Lowered& lowered, const LoweringContext& context, const Slices& slices,
                       const std::string& combination) {
  const Rows rows{1, context.out().elements() / std::max<std::int64_t>(slices.length, 1),
                  slices.tuples, slices.length};
  if (!has_work(rows)) return;
  const SortedRows sorted = add_sorted_rows(lowered, rows, slice_numbering(context, 1, slices));
  lowered.calls.push_back(combining_call(context, rows, combination, sorted, input(2)));
}

/// (shape, indices, dy)
Lowered gather_nd_grad(const LoweringContext& context) {
  Lowered lowered;
  lowered.calls.push_back(ZeroCall{output(), context.out().bytes()});
  add_slice_updates(lowered, context,
                    slices_of(context.in(1).dims, context.out().dims,
                              context.attributes().integer("batch_dims", 0)),
                    sum_up);
  return lowered;
}

/// (data, indices, updates)
Lowered scatter_nd(const LoweringContext& context) {
  Lowered lowered;
  lowered.calls.push_back(CopyCall{input(0), output(), context.out().bytes()});
  add_slice_updates(lowered, context, slices_of(context.in(1).dims, context.out().dims, 0),
                    combination_of(context));
  return lowered;
}

/// Combines updates with the elements of the output that indices along an axis address.
void add_element_updates(Lowered& lowered, const LoweringContext& context, std::size_t indices,
                         std::size_t updates, const std::string& combination) {
  const OperandType& out = context.out();
  const std::int64_t count = context.in(indices).elements();
  if (count == 0 || out.elements() == 0) return;
  const ElementsAlong along =
      elements_along(context.in(indices).dims, out.dims, context.attributes().integer("axis", 0));
  const std::string type = device_type(out.element);
  const std::string text =
      "(const " + device_type(context.in(indices).element) + "* indices, const " + type +
      "* from, " + type + "* to) {\n  combine_elements<" + type + ", " + combination + ", " +
      index_type(std::max(count, out.elements())) + ", " + std::to_string(count) + ", " +
      std::to_string(along.line) + ", " + std::to_string(along.line_step) + ", " +
      std::to_string(along.size) + ", " + std::to_string(along.stride) + along.axes +
      ">(indices, from, to);\n}\n";
  lowered.calls.push_back(
      KernelCall{text, launch_of(count), {input(indices), input(updates), output()}});
}

/// (dy, shape, indices)
Lowered gather_elements_grad(const LoweringContext& context) {
  Lowered lowered;
  lowered.calls.push_back(ZeroCall{output(), context.out().bytes()});
  add_element_updates(lowered, context, 2, 0, sum_up);
  return lowered;
}

/// (data, indices, updates)
Lowered scatter_elements(const LoweringContext& context) {
  Lowered lowered;
  lowered.calls.push_back(CopyCall{input(0), output(), context.out().bytes()});
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
