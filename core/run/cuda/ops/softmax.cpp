// Softmax, LogSoftmax, BiasSoftmax and gradients: a few threads or a block work on each row.

#include "core/run/cuda/codegen/box.h"
#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/cuda/codegen/row_layout.h"
#include "core/run/cuda/ops/families.h"
#include "core/run/shared/walk.h"

namespace stashscope::cuda {

namespace {

using Dims = std::vector<std::int64_t>;

/// The rows of a softmax. Since version 13, a row runs along one axis; in earlier versions, it
/// spans all axes from `axis` on.
Rows rows_of(const Dims& dims, std::int64_t axis, bool single_axis) {
  const kernels::AxisSplit split = kernels::split_at(dims, axis);
  if (single_axis) return {split.outer * split.inner, split.size, split.inner};
  return {split.outer, split.size * split.inner, 1};
}

Rows rows_of(const LoweringContext& context, bool single_axis) {
  const std::int64_t axis = context.attributes().integer("axis", single_axis ? -1 : 1);
  return rows_of(context.in().dims, axis, single_axis);
}

/// Lowers to a kernel of kernels/softmax.cuh that computes y from x.
template <const char* function>
Lowered lower_rows(const LoweringContext& context) {
  if (context.out().elements() == 0) return {};
  const std::string type = device_type(context.out().element);
  const RowPlan plan =
      plan_rows(rows_of(context, context.version >= 13), {.elements = {context.out().element}});
  CallText text;
  const std::string x = text.reads(context, 0);
  const std::string y = text.writes(context);
  const std::string body = with_arguments(function, {type, plan.layout}) + "(Elements<" + type +
                           ">{" + x + "}, " + y + ")";
  return single_call(text.call(body, plan.shape));
}

/// (dY, Y) -> dX. The operators whose names end in _13 belong to Softmax since version 13.
template <const char* slope, bool single_axis>
Lowered lower_softmax_gradient(const LoweringContext& context) {
  if (context.out().elements() == 0) return {};
  const RowPlan plan = plan_rows(rows_of(context, single_axis),
                                 {.elements = {context.out().element}, .kept_numbers = 2});
  CallText text;
  const std::string dy = text.reads(context, 0);
  const std::string y = text.reads(context, 1);
  const std::string dx = text.writes(context);
  const std::string body = with_arguments("softmax_gradient_rows", {slope, plan.layout}) + "(" +
                           dy + ", " + y + ", " + dx + ")";
  return single_call(text.call(body, plan.shape));
}

/// How the bias of a softmax is broadcast to the data.
struct BiasWalk {
  std::vector<std::string> axes;  ///< size and stride of each axis, innermost axis first
  std::int64_t size = 1;          ///< of the innermost axis
  std::int64_t step = 0;          ///< along the innermost axis: 0 or 1
};

BiasWalk bias_walk(const Dims& data, const Dims& bias) {
  BiasWalk walk;
  for (const BoxAxis<1>& axis : merged_box<1>(data, {kernels::broadcast_strides(data, bias)})) {
    walk.axes.insert(walk.axes.begin(), {std::to_string(axis.size), std::to_string(axis.steps[0])});
    walk.size = axis.size;
    walk.step = axis.steps[0];
  }
  return walk;
}

/// The softmax of data + bias over all axes from `axis` on.
Lowered lower_bias_softmax(const LoweringContext& context) {
  if (context.out().elements() == 0) return {};
  const BiasWalk walk = bias_walk(context.in(0).dims, context.in(1).dims);
  const RowPlan plan = plan_rows(rows_of(context, false),
                                 {.elements = {context.out().element}, .even_runs = {walk.size}});
  const std::string type = device_type(context.out().element);
  const std::string source = with_arguments(
      "BiasedElements", {type, with_arguments("Walk", walk.axes), std::to_string(walk.step)});
  CallText text;
  const std::string x = text.reads(context, 0);
  const std::string bias = text.reads(context, 1);
  const std::string y = text.writes(context);
  const std::string body = with_arguments("softmax_rows", {type, plan.layout}) + "(" + source +
                           "{" + x + ", " + bias + "}, " + y + ")";
  return single_call(text.call(body, plan.shape));
}

constexpr char softmax[] = "softmax_rows";
constexpr char log_softmax[] = "log_softmax_rows";
constexpr char softmax_slope[] = "SoftmaxSlope";
constexpr char log_softmax_slope[] = "LogSoftmaxSlope";

}  // namespace

void add_softmax_kernels(CudaKernelRegistry& registry) {
  registry.add("", "Softmax", {lower_rows<softmax>});
  registry.add("", "LogSoftmax", {lower_rows<log_softmax>});
  registry.add("com.microsoft", "BiasSoftmax", {lower_bias_softmax});
  for (const char* domain : {"", "com.microsoft"}) {
    registry.add(domain, "SoftmaxGrad", {lower_softmax_gradient<softmax_slope, false>});
    registry.add(domain, "SoftmaxGrad_13", {lower_softmax_gradient<softmax_slope, true>});
    registry.add(domain, "LogSoftmaxGrad", {lower_softmax_gradient<log_softmax_slope, false>});
    registry.add(domain, "LogSoftmaxGrad_13", {lower_softmax_gradient<log_softmax_slope, true>});
  }
}

}  // namespace stashscope::cuda
