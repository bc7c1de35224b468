// Gradient operators of the default domain that early training graphs contain.

#include <algorithm>

#include "core/run/cuda/codegen/element_text.h"
#include "core/run/cuda/codegen/pointwise.h"
#include "core/run/cuda/codegen/reduction_plan.h"
#include "core/run/cuda/ops/families.h"

namespace stashscope::cuda {

namespace {

using Operands = std::vector<std::string>;

/// (x, dy) -> dx, which has the elements of dy and the dims of x.
Lowered reshape_grad(const LoweringContext& context) { return copied_input(context, 1); }

std::string in_double(const std::string& operand) { return "double(" + operand + ")"; }

/// The inputs are (y, dy), in this order.
std::string legacy_tanh_grad(const LoweringContext& context, const Operands& operands) {
  const std::string y = in_double(operands[0]);
  return compute_type(context.out().element) + "(" + in_double(operands[1]) + " * (1 - " + y +
         " * " + y + "))";
}

/// The contribution of each element of dy to the gradient of a (or b) in a / b. The inputs are (dy,
/// a, b).
std::string share_of_a(const LoweringContext& context, const Operands& operands) {
  return compute_type(context.out(0).element) + "(" + in_double(operands[0]) + " / " +
         in_double(operands[2]) + ")";
}
std::string share_of_b(const LoweringContext& context, const Operands& operands) {
  const std::string b = in_double(operands[2]);
  return compute_type(context.out(1).element) + "(-(" + in_double(operands[0]) + " / " + b + " * " +
         in_double(operands[1]) + " / " + b + "))";
}

/// The kernel calls of `lowered` with the operand `from` replaced by `to`.
Lowered redirected(Lowered lowered, Operand from, Operand to) {
  for (Call& call : lowered.calls) {
    auto& operands = std::get<KernelCall>(call).operands;
    std::replace(operands.begin(), operands.end(), from, to);
  }
  return lowered;
}

/// Sums the contributions in the scratch memory `from` over the axes along which the operand was
/// broadcast.
void add_sum_of_shares(Lowered& lowered, const OperandType& shares, Operand from,
                       const LoweringContext& context, std::size_t side) {
  const OperandType& result = context.out(side);
  std::vector<std::int64_t> kept(shares.dims.size() - result.dims.size(), 1);
  kept.insert(kept.end(), result.dims.begin(), result.dims.end());
  const std::string type = device_type(shares.element);
  ReductionTexts texts{with_arguments("Adding", {type}), element_bytes(shares.element),
                       widest_access({shares.element})};
  texts.source = [&](CallText& text) {
    return with_arguments("Items", {type, type}) + "{" + text.reads(shares, from) + "}";
  };
  texts.sink = [&](CallText& text) {
    return with_arguments("Results", {device_type(result.element), "Unchanged"}) + "{" +
           text.writes(result, output(side)) + "}";
  };
  add_reduction(lowered, shares.dims, kept, texts);
}

void add_side(Lowered& lowered, const LoweringContext& context, std::size_t side) {
  const OperandType& result = context.out(side);
  const bool repeats = result.elements() != context.in(0).elements();
  const bool is_double = result.element == ElementType::float64;
  LoweringContext whole = context;
  whole.outputs[side].dims = context.in(0).dims;
  if (repeats && !is_double) whole.outputs[side].element = ElementType::float32;
  Lowered shares =
      lower_outputs(whole, side == 0 ? std::vector<ExpressionFunction>{share_of_a}
                                     : std::vector<ExpressionFunction>{nullptr, share_of_b});
  if (!repeats) return append(lowered, std::move(shares));
  const Operand sums = lowered.add_scratch(whole.out(side).bytes());
  append(lowered, redirected(std::move(shares), output(side), sums));
  add_sum_of_shares(lowered, whole.out(side), sums, context, side);
}

/// Lowers to the gradients of a and b. Each gradient is the sum of its contributions over the axes
/// along which its operand was broadcast.
Lowered div_grad(const LoweringContext& context) {
  Lowered lowered;
  for (const std::size_t side : {0U, 1U}) {
    if (context.has_output(side) && context.out(side).elements() > 0) {
      add_side(lowered, context, side);
    }
  }
  return lowered;
}

}  // namespace

void add_legacy_gradient_kernels(CudaKernelRegistry& registry) {
  registry.add("", "ReshapeGrad", {.lower = reshape_grad});
  registry.add("", "TanhGrad", {.expression = legacy_tanh_grad});
  registry.add("", "DivGrad", {.lower = div_grad});
}

}  // namespace stashscope::cuda
