// Losses over class scores [batch, classes, ...] with labels [batch, ...].

#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/cuda/codegen/row_layout.h"
#include "core/run/cuda/losses/targets.h"
#include "core/run/cuda/ops/families.h"
#include "core/run/shared/walk.h"

namespace stashscope::cuda {

namespace {

/// The rows of the scores; each target has one row.
Rows rows_of(const std::vector<std::int64_t>& scores) {
  const kernels::AxisSplit split =
      scores.size() > 1 ? kernels::split_at(scores, 1) : kernels::AxisSplit{1, scores.at(0), 1};
  return {split.outer * split.inner, split.size, split.inner};
}

/// The labels at index `labels`, then the weights, then the ignored label (only in operators named
/// `...Internal`).
TargetOperands targets_at(const LoweringContext& context, std::size_t labels,
                          std::int64_t classes) {
  return {context, classes, labels, labels + 1, labels + 2};
}

KernelCall cross_entropy_call(const LoweringContext& context, const TargetOperands& targets,
                              const std::string& losses, CallText& text) {
  std::vector<ElementType> elements = {context.in().element};
  if (context.has_output(1)) elements.push_back(context.out(1).element);
  const RowPlan plan = plan_rows(rows_of(context.in().dims), {.elements = elements});
  std::string operands = text.reads(context, 0);
  operands += ", " + targets.object(text);
  operands += ", " + text.writes(context, 1);
  return text.call(
      with_arguments("cross_entropy_rows", {compute_type(context.in().element), plan.layout}) +
          "(" + operands + ", " + losses + ")",
      plan.shape);
}

KernelCall chosen_call(const LoweringContext& context, const TargetOperands& targets,
                       const std::string& losses, CallText& text) {
  constexpr std::int64_t threads = 256;
  const Rows rows = rows_of(context.in().dims);
  std::string operands = text.reads(context, 0);
  operands += ", " + targets.object(text);
  return text.call(with_arguments("chosen_losses",
                                  {compute_type(context.in().element), std::to_string(rows.count),
                                   std::to_string(rows.columns), std::to_string(rows.stride)}) +
                       "(" + operands + ", " + losses + ")",
                   {(rows.count + threads - 1) / threads, static_cast<int>(threads)});
}

using LossCall = KernelCall (*)(const LoweringContext&, const TargetOperands&, const std::string&,
                                CallText&);

/// Output 0 is the loss. Output 1 of a cross entropy, if wanted, is the log probabilities.
template <LossCall losses_of>
Lowered lower_loss(const LoweringContext& context) {
  const Rows rows = rows_of(context.in().dims);
  const ElementType computed = compute_element(context.in().element);
  const TargetOperands targets = targets_at(context, 1, rows.columns);
  require_int(rows.columns);
  Lowered lowered;
  CallText text;
  if (reduction_of(context) == Reduction::none) {
    if (rows.count == 0) return lowered;
    const std::string losses = text.writes(context);
    lowered.add(losses_of(context, targets, losses, text));
    return lowered;
  }
  const Operand losses = lowered.add_scratch(rows.count * element_bytes(computed));
  if (rows.count > 0) {
    const std::string to = text.pointer(device_type(computed), losses);
    lowered.add(losses_of(context, targets, to, text));
  }
  add_total(targets, rows.count, computed, losses, lowered);
  return lowered;
}

/// (dy, log probabilities, labels, ...) -> dx, which may overwrite the log probabilities.
template <const char* slope>
Lowered lower_loss_gradient(const LoweringContext& context) {
  if (context.out().elements() == 0) return {};
  const Rows rows = rows_of(context.out().dims);
  const ElementType computed = compute_element(context.out().element);
  const TargetOperands targets = targets_at(context, 2, rows.columns);
  const RowPlan plan = plan_rows(
      rows, {.elements = {context.in(1).element, context.out().element}, .kept_numbers = 0});
  Lowered lowered;
  const std::optional<Operand> total = add_total_weight(targets, rows.count, computed, lowered);
  CallText text;
  std::vector<std::string> operands = {text.reads(context, 0), text.reads(context, 1),
                                       targets.object(text)};
  const std::vector<std::string> divisor =
      divisor_operands(targets, total, rows.count, computed, text);
  operands.insert(operands.end(), divisor.begin(), divisor.end());
  operands.push_back(text.writes(context));
  const bool by_target = reduction_of(context) == Reduction::none;
  lowered.add(text.call(
      invocation("loss_gradient_rows",
                 arguments_of(device_type(computed), plan.layout, slope, by_target), operands),
      plan.shape));
  return lowered;
}

/// Lowers an operator named `Sparse...`. Throws a run Error if the node has weights. The weights of
/// these operators, one per target, are not supported.
template <LoweringFunction lower, std::size_t weights>
Lowered lower_sparse(const LoweringContext& context) {
  if (context.has_input(weights))
    fail_run("", "weights per target are not supported on CUDA devices");
  return lower(context);
}

constexpr char cross_entropy_slope[] = "CrossEntropySlope";
constexpr char chosen_slope[] = "ChosenSlope";

}  // namespace

void add_loss_kernels(CudaKernelRegistry& registry) {
  constexpr LoweringFunction loss = lower_loss<cross_entropy_call>;
  constexpr LoweringFunction gradient = lower_loss_gradient<cross_entropy_slope>;
  registry.add("", "SoftmaxCrossEntropyLoss", {loss});
  registry.add("com.microsoft", "SoftmaxCrossEntropyLossInternal", {loss});
  registry.add("com.microsoft", "SoftmaxCrossEntropyLossGrad", {gradient});
  registry.add("com.microsoft", "SoftmaxCrossEntropyLossInternalGrad", {gradient});
  registry.add("", "SparseSoftmaxCrossEntropy", {lower_sparse<loss, 2>});
  registry.add("", "SparseSoftmaxCrossEntropyGrad", {lower_sparse<gradient, 3>});
  registry.add("", "NegativeLogLikelihoodLoss", {lower_loss<chosen_call>});
  registry.add("com.microsoft", "NegativeLogLikelihoodLossGrad",
               {lower_loss_gradient<chosen_slope>});
}

}  // namespace stashscope::cuda
