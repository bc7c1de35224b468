// Reductions over axes, ArgMax and ArgMin, and running sums.

#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/cuda/codegen/reduction_plan.h"
#include "core/run/cuda/ops/families.h"
#include "core/run/shared/walk.h"

namespace stashscope::cuda {

namespace {

using Dims = std::vector<std::int64_t>;

/// The input's dims with 1 for every reduced axis. The axes come from input 1 or from the attribute
/// `axes`. Without axes, all axes are reduced, or none if the attribute `noop_with_empty_axes` is
/// set.
Dims kept_dims(const LoweringContext& context) {
  Dims kept = context.in().dims;
  const Dims axes =
      context.has_input(1) ? context.integers(1) : context.attributes().integers("axes");
  if (axes.empty() && context.attributes().integer("noop_with_empty_axes", 0) == 0) {
    kept.assign(kept.size(), 1);
  }
  for (const std::int64_t axis : axes) kept[kernels::axis_in(axis, std::ssize(kept))] = 1;
  return kept;
}

/// The type in which a reduction reads and stores elements. Booleans have type bool, because the
/// neutral elements of Maximum and Minimum differ between bool and bytes.
std::string element_text(ElementType element) {
  return element == ElementType::boolean ? "bool" : device_type(element);
}

/// The texts that a reduction puts into its kernel. The reduction reads elements as type `item`.
struct Steps {
  std::string reducer;
  std::int64_t state_bytes;
  std::string item;
  std::string finish = "Unchanged";
};

std::int64_t bytes_of(const std::string& type) { return type == "float" ? 4 : 8; }

Lowered lower_steps(const LoweringContext& context, const Steps& steps) {
  Lowered lowered;
  if (context.out().elements() == 0) return lowered;
  const std::string element = element_text(context.in().element);
  ReductionTexts texts{steps.reducer, steps.state_bytes,
                       std::min<std::int64_t>(8, widest_access({context.in().element}))};
  texts.source = [&](CallText& text) {
    return with_arguments("Items", {element, steps.item}) + "{" +
           text.pointer("const " + element, input(0)) + "}";
  };
  texts.sink = [&](CallText& text) {
    return with_arguments("Results", {element, steps.finish}) + "{" +
           text.pointer(element, output()) + "}";
  };
  add_reduction(lowered, context.in().dims, kept_dims(context), texts);
  return lowered;
}

/// Lowers to a reduction that adds up `term` of each element and applies `finish` to the sum.
template <const char* term, const char* finish>
Lowered lower_sum(const LoweringContext& context) {
  const std::string sum = sum_type(context.in().element);
  return lower_steps(context, {with_arguments("Adding", {sum, term}), bytes_of(sum), sum, finish});
}

Lowered lower_mean(const LoweringContext& context) {
  const std::string sum = sum_type(context.in().element);
  const std::int64_t results = context.out().elements();
  const std::int64_t count = results == 0 ? 0 : context.in().elements() / results;
  return lower_steps(context, {with_arguments("Adding", {sum}), bytes_of(sum), sum,
                               with_arguments("Mean", {std::to_string(count)})});
}

/// Lowers to a reduction that computes in `compute_type` of the elements; booleans stay booleans.
template <const char* reducer>
Lowered lower_in_type(const LoweringContext& context) {
  const ElementType element = context.in().element;
  const bool is_boolean = element == ElementType::boolean;
  const std::string type = is_boolean ? "bool" : compute_type(element);
  const std::int64_t bytes = type == "float" ? 4 : element_bytes(element);
  return lower_steps(context, {with_arguments(reducer, {type}), bytes, type});
}

Lowered lower_log_sum_exp(const LoweringContext& context) {
  const ElementType element = context.in().element;
  const std::string type = is_floating(element) ? compute_type(element) : "double";
  return lower_steps(context,
                     {with_arguments("LogSumExp", {type}), 2 * bytes_of(type), type, "LogOfSum"});
}

/// Lowers to a reduction that stores the position of the extreme element along an axis. Among equal
/// extremes, the first position is stored, or the last one if the attribute `select_last_index` is
/// set.
template <const char* order>
Lowered lower_arg_extreme(const LoweringContext& context) {
  Lowered lowered;
  if (context.out().elements() == 0) return lowered;
  const OperandType& in = context.in();
  const std::int64_t axis = context.attributes().integer("axis", 0);
  const kernels::AxisSplit split = kernels::split_at(in.dims, axis);
  const std::string element = device_type(in.element);
  const bool last = context.attributes().integer("select_last_index", 0) != 0;
  ReductionTexts texts{
      with_arguments("Extreme", {compute_type(in.element), order, last ? "true" : "false"}), 16, 1};
  texts.source = [&](CallText& text) {
    return with_arguments("PlacedItems",
                          {element, std::to_string(split.size), std::to_string(split.inner)}) +
           "{" + text.reads(context, 0) + "}";
  };
  texts.sink = [&](CallText& text) {
    return "Results<Int64, Place>{" + text.writes(context) + "}";
  };
  add_reduction(lowered, {split.outer, split.size, split.inner}, {split.outer, 1, split.inner},
                texts);
  return lowered;
}

Lowered lower_running_sum(const LoweringContext& context) {
  if (context.out().elements() == 0) return {};
  const OperandType& in = context.in();
  const kernels::AxisSplit split = kernels::split_at(in.dims, context.integers(1).at(0));
  require_int(split.size);
  const std::int64_t rows = split.outer * split.inner;
  const auto flag = [&](const char* name) {
    return context.attributes().integer(name, 0) != 0 ? "true" : "false";
  };
  const bool by_warps = split.inner == 1;
  std::vector<std::string> arguments = {device_type(in.element), sum_type(in.element),
                                        std::to_string(rows), std::to_string(split.size)};
  if (!by_warps) arguments.push_back(std::to_string(split.inner));
  arguments.insert(arguments.end(), {flag("exclusive"), flag("reverse")});
  CallText text;
  const std::string operands = "(" + text.reads(context, 0) + ", " + text.writes(context) + ")";
  constexpr std::int64_t threads = 128;
  const std::int64_t wanted = by_warps ? 32 * rows : rows;
  return single_call(
      text.call(with_arguments(by_warps ? "sum_rows" : "sum_along", arguments) + operands,
                {(wanted + threads - 1) / threads, static_cast<int>(threads)}));
}

constexpr char itself[] = "Itself";
constexpr char square[] = "Square";
constexpr char absolute[] = "Absolute";
constexpr char unchanged[] = "Unchanged";
constexpr char root[] = "Root";
constexpr char logarithm[] = "Logarithm";
constexpr char maximum[] = "Maximum";
constexpr char minimum[] = "Minimum";
constexpr char multiplying[] = "Multiplying";
constexpr char above[] = "Above";
constexpr char below[] = "Below";

}  // namespace

void add_reduction_kernels(CudaKernelRegistry& registry) {
  const auto add = [&](const char* type, LoweringFunction lower) {
    registry.add("", type, {.lower = lower, .host_inputs = {1}});
  };
  add("ReduceSum", lower_sum<itself, unchanged>);
  add("ReduceMean", lower_mean);
  add("ReduceSumSquare", lower_sum<square, unchanged>);
  add("ReduceL1", lower_sum<absolute, unchanged>);
  add("ReduceL2", lower_sum<square, root>);
  add("ReduceLogSum", lower_sum<itself, logarithm>);
  add("ReduceLogSumExp", lower_log_sum_exp);
  add("ReduceMax", lower_in_type<maximum>);
  add("ReduceMin", lower_in_type<minimum>);
  add("ReduceProd", lower_in_type<multiplying>);
  add("CumSum", lower_running_sum);
  registry.add("", "ArgMax", {lower_arg_extreme<above>});
  registry.add("", "ArgMin", {lower_arg_extreme<below>});
}

}  // namespace stashscope::cuda
