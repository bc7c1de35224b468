// Reading by index.

#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/cuda/codegen/index_text.h"
#include "core/run/cuda/codegen/strided_copy.h"
#include "core/run/cuda/ops/families.h"
#include "core/run/shared/walk.h"

namespace stashscope::cuda {

namespace {

using Dims = std::vector<std::int64_t>;

/// The 8 bytes that a kernel stores as the result for an index outside of the data. Read as
/// elements, the bytes are NaN for floating-point types of at least 16 bits, and 0 for all other
/// types.
std::string outside_text(ElementType element) {
  switch (element) {
    case ElementType::float32:
      return "0x7FC000007FC00000u";
    case ElementType::float64:
      return "0x7FF8000000000000u";
    case ElementType::float16:
      return "0x7E007E007E007E00u";
    case ElementType::bfloat16:
      return "0x7FC07FC07FC07FC0u";
    default:
      return "0";
  }
}

/// Adjacent elements of a row that a kernel moves as one unit.
struct Unit {
  std::int64_t bytes = 1;
  std::int64_t count = 1;  ///< units in a row
};

Unit unit_of(ElementType element, std::int64_t row_elements) {
  const std::int64_t row = row_elements * element_bytes(element);
  std::int64_t bytes = 16;
  while (row % bytes != 0) bytes /= 2;
  return {bytes, row / bytes};
}

/// A call of `function` that computes the output from (data, indices).
/// @param arguments template arguments after the first argument, which is the type of the units
KernelCall reading_call(const LoweringContext& context, std::int64_t unit_bytes,
                        std::int64_t threads, const std::string& function,
                        const std::vector<std::string>& arguments) {
  const std::string type = moved_type(unit_bytes);
  CallText text;
  const std::vector<std::string> operands = {text.pointer("const " + type, input(0)),
                                             text.reads(context, 1), text.pointer(type, output()),
                                             outside_text(context.out().element)};
  return text.call(invocation(function, arguments_of(type, arguments), operands),
                   launch_of(threads));
}

std::string index_of(const LoweringContext& context) {
  return index_type(std::max(context.in(0).elements(), context.out().elements()));
}

/// Copies the rows that input 1 names. @param split the data, split at the axis of the rows
KernelCall row_call(const LoweringContext& context, const kernels::AxisSplit& split) {
  const Unit unit = unit_of(context.in(0).element, split.inner);
  const std::int64_t count = context.in(1).elements();
  const std::int64_t threads = split.outer * count * unit.count;
  return reading_call(context, unit.bytes, threads, "gather_rows",
                      arguments_of(index_of(context), threads, split.size, count, unit.count));
}

Lowered gather(const LoweringContext& context) {
  if (context.out().elements() == 0) return {};
  const auto axis = context.attributes().integer("axis", 0);
  return single_call(row_call(context, kernels::split_at(context.in(0).dims, axis)));
}

/// The split of a tensor whose first two axes number its rows: these axes count as one axis.
kernels::AxisSplit rows_of(const OperandType& whole) {
  return {1, whole.dims[0] * whole.dims[1], element_count(std::span(whole.dims).subspan(2))};
}

Lowered gather_elements(const LoweringContext& context) {
  if (context.out().elements() == 0) return {};
  const ElementsAlong along = elements_along(context.in(1).dims, context.in(0).dims,
                                             context.attributes().integer("axis", 0));
  const std::int64_t count = context.out().elements();
  return {
      {reading_call(context, element_bytes(context.out().element), count, "gather_elements",
                    arguments_of(index_of(context), count, along.size, along.stride, along.axes))},
      {}};
}

Lowered gather_nd(const LoweringContext& context) {
  if (context.out().elements() == 0) return {};
  const Slices slices = slices_of(context.in(1).dims, context.in(0).dims,
                                  context.attributes().integer("batch_dims", 0));
  const Unit unit = unit_of(context.out().element, slices.length);
  const std::int64_t threads = slices.tuples * unit.count;
  return single_call(
      reading_call(context, unit.bytes, threads, "gather_slices",
                   arguments_of(index_of(context), threads, unit.count, slices.per_batch,
                                slices.batch_slices, slices.axes)));
}

/// The inputs are (data, row indices). The first two axes of the data number the rows.
Lowered flatten_and_unpad(const LoweringContext& context) {
  Lowered lowered;
  if (context.out().elements() != 0) lowered.add(row_call(context, rows_of(context.in(0))));
  if (!context.has_output(1)) return lowered;
  CallText text;
  const std::string leading = text.writes(context, 1);
  const auto stored = [&](std::size_t axis) {
    return leading + "[" + std::to_string(axis) + "] = Int64(" +
           std::to_string(context.in(0).dims[axis]) + ")";
  };
  lowered.add(text.call(stored(0) + ";\n  " + stored(1), {1, 1}));
  return lowered;
}

/// The inputs are (packed rows, row indices, leading dims).
Lowered pad_and_unflatten(const LoweringContext& context) {
  const OperandType& out = context.out();
  Lowered lowered;
  lowered.add(ZeroCall{output(), out.bytes()});
  const std::int64_t count = context.in(1).elements();
  if (out.elements() == 0 || count == 0) return lowered;
  const kernels::AxisSplit rows = rows_of(out);
  const Unit unit = unit_of(out.element, rows.inner);
  const std::int64_t threads = count * unit.count;
  const std::string type = moved_type(unit.bytes);
  CallText text;
  const std::vector<std::string> operands = {text.pointer("const " + type, input(0)),
                                             text.reads(context, 1), text.pointer(type, output())};
  const auto arguments = arguments_of(type, index_of(context), threads, rows.size, unit.count);
  lowered.add(text.call(invocation("place_rows", arguments, operands), launch_of(threads)));
  return lowered;
}

/// The inputs are (indices, depth, values). `values` holds two elements: `off`, then `on`. An index
/// outside of the depth gives a row in which every element is `off`.
Lowered one_hot(const LoweringContext& context) {
  const OperandType& out = context.out();
  if (out.elements() == 0) return {};
  const auto split = kernels::split_at(out.dims, context.attributes().integer("axis", -1));
  const std::string type = moved_type(element_bytes(out.element));
  CallText text;
  const std::vector<std::string> operands = {text.reads(context, 0),
                                             text.pointer("const " + type, input(2)),
                                             text.pointer(type, output())};
  const auto arguments =
      arguments_of(type, index_type(out.elements()), out.elements(), split.size, split.inner);
  return single_call(
      text.call(invocation("one_hot", arguments, operands), launch_of(out.elements())));
}

}  // namespace

void add_gather_kernels(CudaKernelRegistry& registry) {
  registry.add("", "Gather", {.lower = gather});
  registry.add("", "GatherElements", {.lower = gather_elements});
  registry.add("", "GatherND", {.lower = gather_nd});
  registry.add("", "OneHot", {.lower = one_hot, .host_inputs = {1}});
  registry.add("com.microsoft", "FlattenAndUnpad", {.lower = flatten_and_unpad});
  registry.add("com.microsoft", "PadAndUnflatten",
               {.lower = pad_and_unflatten, .host_inputs = {2}});
}

}  // namespace stashscope::cuda
