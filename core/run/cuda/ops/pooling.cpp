// Pooling over windows and over all positions, and the gradients.

#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/cuda/codegen/strided_copy.h"
#include "core/run/cuda/ops/families.h"
#include "core/run/shared/pooling_window.h"

namespace stashscope::cuda {

namespace {

using Dims = std::vector<std::int64_t>;

/// The text of WindowAxis for each of three axes; if the data has fewer axes, the first axes have
/// size 1.
std::vector<std::string> window_arguments(const kernels::Pooling& pooling) {
  const kernels::SlidingWindow& window = pooling.window;
  if (window.axes() > 3) {
    fail_run("", "pooling over " + std::to_string(window.axes()) +
                     " axes is not supported on CUDA devices");
  }
  std::vector<std::string> texts(3 - window.axes(), "WindowAxis<1, 1, 1, 1, 1, 0, 0>");
  for (std::size_t axis = 0; axis < window.axes(); ++axis) {
    texts.push_back(with_arguments(
        "WindowAxis",
        arguments_of(window.in[axis], window.out[axis], window.kernel[axis], window.strides[axis],
                     window.dilations[axis], window.pads[axis], pooling.pads_after[axis])));
  }
  return texts;
}

/// Element type, index type and number of threads: the first template arguments of most pooling
/// kernels.
std::vector<std::string> first_arguments(const OperandType& a, const OperandType& b,
                                         std::int64_t threads) {
  return arguments_of(device_type(b.element), index_type(std::max(a.elements(), b.elements())),
                      threads);
}

Lowered max_pool(const LoweringContext& context) {
  const OperandType& y = context.out();
  if (y.elements() == 0) return {};
  const kernels::Pooling pooling(context.attributes(), context.in().dims, y.dims);
  const bool by_columns = context.attributes().integer("storage_order", 0) != 0;
  CallText text;
  const std::vector<std::string> operands = {
      text.reads(context, 0), text.writes(context),
      context.has_output(1) ? text.writes(context, 1) : "nullptr"};
  const auto arguments = arguments_of(first_arguments(context.in(), y, y.elements()), by_columns,
                                      window_arguments(pooling));
  return single_call(
      text.call(invocation("max_pool", arguments, operands), launch_of(y.elements())));
}

/// A kernel that computes output 0 from the first `inputs` inputs; each thread computes one
/// element.
KernelCall element_call(const LoweringContext& context, const std::string& function,
                        const std::vector<std::string>& arguments, std::size_t inputs = 1) {
  CallText text;
  std::vector<std::string> operands;
  for (std::size_t i = 0; i < inputs; ++i) operands.push_back(text.reads(context, i));
  operands.push_back(text.writes(context));
  return text.call(invocation(function, arguments, operands), launch_of(context.out().elements()));
}

/// The inputs are (dY, indices, shape of the data).
Lowered max_pool_grad(const LoweringContext& context) {
  if (context.attributes().integer("storage_order", 0) != 0) {
    fail_run("", "column-major indices are not supported on CUDA devices");
  }
  const OperandType& dx = context.out();
  if (dx.elements() == 0) return {};
  const kernels::Pooling pooling(context.attributes(), dx.dims, context.in().dims);
  const auto arguments =
      arguments_of(first_arguments(context.in(), dx, dx.elements()), window_arguments(pooling));
  return single_call(element_call(context, "max_pool_gradient", arguments, 2));
}

/// A call of a kernel in kernels/pooling.cuh that maps data to means, or gradients of means to
/// gradients of data.
Lowered average(const LoweringContext& context, const char* function,
                const kernels::Pooling& pooling) {
  const OperandType& out = context.out();
  if (out.elements() == 0) return {};
  const bool padded = context.attributes().integer("count_include_pad", 0) != 0;
  const auto arguments = arguments_of(first_arguments(context.in(), out, out.elements()), padded,
                                      window_arguments(pooling));
  return single_call(element_call(context, function, arguments));
}

Lowered average_pool(const LoweringContext& context) {
  return average(context, "average_pool",
                 {context.attributes(), context.in().dims, context.out().dims});
}

/// The inputs are (dY, shape of the data).
Lowered average_pool_grad(const LoweringContext& context) {
  return average(context, "average_pool_gradient",
                 {context.attributes(), context.out().dims, context.in().dims});
}

std::int64_t plane_of(const Dims& dims) { return element_count(std::span(dims).subspan(2)); }

constexpr char global_average[] = "global_average_pool";
constexpr char global_max[] = "global_max_pool";

/// Makes one result per plane; a warp works on a small plane, a block on a larger plane.
template <const char* function>
Lowered global_pool(const LoweringContext& context) {
  const OperandType& y = context.out();
  if (y.elements() == 0) return {};
  constexpr std::int64_t small = 1024;
  constexpr int block = 256;
  const std::int64_t plane = plane_of(context.in().dims);
  if (plane == 0 && function == global_max) {
    fail_run("", "its planes have no elements, so they have no maximum");
  }
  const int threads = plane <= small ? 32 : block;
  KernelCall call =
      element_call(context, function,
                   arguments_of(first_arguments(context.in(), y, y.elements()), plane, threads));

  call.shape = launch_of(y.elements() * threads, block);
  return single_call(std::move(call));
}

/// (dY, shape of the data): every position receives an equal share of its plane's gradient.
Lowered global_average_pool_grad(const LoweringContext& context) {
  const OperandType& dx = context.out();
  if (dx.elements() == 0) return {};
  const std::int64_t plane = plane_of(dx.dims);
  const std::int64_t width = even_width(widest_access({dx.element}), {plane});
  const std::int64_t threads = dx.elements() / width;
  KernelCall call = element_call(
      context, "share_evenly",
      arguments_of(device_type(dx.element), width, index_type(dx.elements()), threads, plane));

  call.shape = launch_of(threads);
  return single_call(std::move(call));
}

}  // namespace

void add_pooling_kernels(CudaKernelRegistry& registry) {
  registry.add("", "MaxPool", {.lower = max_pool});
  registry.add("", "AveragePool", {.lower = average_pool});
  registry.add("", "GlobalAveragePool", {.lower = global_pool<global_average>});
  registry.add("", "GlobalMaxPool", {.lower = global_pool<global_max>});
  registry.add("com.microsoft", "MaxPoolGrad", {.lower = max_pool_grad, .host_inputs = {2}});
  registry.add("com.microsoft", "AveragePoolGrad",
               {.lower = average_pool_grad, .host_inputs = {1}});
  registry.add("com.microsoft", "GlobalAveragePoolGrad",
               {.lower = global_average_pool_grad, .host_inputs = {1}});
}

}  // namespace stashscope::cuda
