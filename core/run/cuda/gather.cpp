// Reading by index.

#include "core/run/cpu/walk.h"
#include "core/run/cuda/box.h"
#include "core/run/cuda/element_text.h"
#include "core/run/cuda/families.h"
#include "core/run/cuda/index_text.h"
#include "core/run/cuda/strided_copy.h"

namespace stashscope::cuda {

namespace {

using Dims = std::vector<std::int64_t>;

/// What is read where an index is outside of the data: not-a-number in each element of 8 bytes, or
/// 0.
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

/// Elements side by side that are moved as one.
struct Unit {
  std::int64_t bytes = 1;
  std::int64_t count = 1;  ///< of them in a row
};

Unit unit_of(ElementType element, std::int64_t row_elements) {
  const std::int64_t row = row_elements * element_bytes(element);
  std::int64_t bytes = 16;
  while (row % bytes != 0) bytes /= 2;
  return {bytes, row / bytes};
}

/// A call of `function` with (data, indices) -> output. @param arguments those of the template
KernelCall reading_call(const LoweringContext& context, std::int64_t unit_bytes,
                        std::int64_t threads, const std::string& function,
                        const std::vector<std::string>& arguments) {
  const std::string type = moved_type(unit_bytes);
  std::string text = "(const " + type + "* from, const " + device_type(context.in(1).element) +
                     "* indices, " + type + "* to) {\n  " + function + "<" + type;
  for (const std::string& argument : arguments) text += ", " + argument;
  text += ">(from, indices, to, " + outside_text(context.out().element) + ");\n}\n";
  return {text, launch_of(threads), {input(0), input(1), output()}};
}

std::string index_of(const LoweringContext& context) {
  return index_type(std::max(context.in(0).elements(), context.out().elements()));
}

Lowered gather(const LoweringContext& context) {
  if (context.out().elements() == 0) return {};
  const OperandType& data = context.in(0);
  const auto split = cpu::split_at(data.dims, context.attributes().integer("axis", 0));
  const Unit unit = unit_of(data.element, split.inner);
  const std::int64_t count = context.in(1).elements();
  const std::int64_t threads = split.outer * count * unit.count;
  return {{reading_call(context, unit.bytes, threads, "gather_rows",
                        {index_of(context), std::to_string(threads), std::to_string(split.size),
                         std::to_string(count), std::to_string(unit.count)})},
          {}};
}

Lowered gather_elements(const LoweringContext& context) {
  if (context.out().elements() == 0) return {};
  const ElementsAlong along = elements_along(context.in(1).dims, context.in(0).dims,
                                             context.attributes().integer("axis", 0));
  const std::int64_t count = context.out().elements();
  return {{reading_call(context, element_bytes(context.out().element), count, "gather_elements",
                        {index_of(context), std::to_string(count), std::to_string(along.size),
                         std::to_string(along.stride) + along.axes})},
          {}};
}

Lowered gather_nd(const LoweringContext& context) {
  if (context.out().elements() == 0) return {};
  const Slices slices = slices_of(context.in(1).dims, context.in(0).dims,
                                  context.attributes().integer("batch_dims", 0));
  const Unit unit = unit_of(context.out().element, slices.length);
  const std::int64_t threads = slices.tuples * unit.count;
  return {{reading_call(context, unit.bytes, threads, "gather_slices",
                        {index_of(context), std::to_string(threads), std::to_string(unit.count),
                         std::to_string(slices.per_batch),
                         std::to_string(slices.batch_slices) + slices.axes})},
          {}};
}

/// (indices, depth, [off, on]): indices outside of the depth have no hot element.
Lowered one_hot(const LoweringContext& context) {
  const OperandType& out = context.out();
  if (out.elements() == 0) return {};
  const auto split = cpu::split_at(out.dims, context.attributes().integer("axis", -1));
  const std::string type = moved_type(element_bytes(out.element));
  const std::string text = "(const " + device_type(context.in(0).element) + "* indices, const " +
                           type + "* values, " + type + "* to) {\n  one_hot<" + type + ", " +
                           index_type(out.elements()) + ", " + std::to_string(out.elements()) +
                           ", " + std::to_string(split.size) + ", " + std::to_string(split.inner) +
                           ">(indices, values, to);\n}\n";
  return {{KernelCall{text, launch_of(out.elements()), {input(0), input(2), output()}}}, {}};
}

}  // namespace

void add_gather_kernels(CudaKernelRegistry& registry) {
  registry.add("", "Gather", {.lower = gather});
  registry.add("", "GatherElements", {.lower = gather_elements});
  registry.add("", "GatherND", {.lower = gather_nd});
  registry.add("", "OneHot", {.lower = one_hot, .host_inputs = {1}});
}

}  // namespace stashscope::cuda
