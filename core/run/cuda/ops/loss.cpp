// Losses over class scores [batch, classes, ...] with labels [batch, ...].

#include "core/base/text.h"
#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/cuda/codegen/reduction_plan.h"
#include "core/run/cuda/codegen/row_layout.h"
#include "core/run/cuda/ops/families.h"
#include "core/run/shared/walk.h"

namespace stashscope::cuda {

namespace {

enum class Reduction { none, mean, sum };

Reduction reduction_of(const LoweringContext& context) {
  const std::string name = context.attributes().text("reduction", "mean");
  return name == "none" ? Reduction::none : name == "sum" ? Reduction::sum : Reduction::mean;
}

/// The rows of the scores; each target has one row.
Rows rows_of(const std::vector<std::int64_t>& scores) {
  const kernels::AxisSplit split =
      scores.size() > 1 ? kernels::split_at(scores, 1) : kernels::AxisSplit{1, scores.at(0), 1};
  return {split.outer * split.inner, split.size, split.inner};
}

/// Reads the inputs at indices `labels`, `labels + 1` (weights) and `labels + 2` (ignored label,
/// only in operators named `...Internal`).
struct TargetOperands {
  const LoweringContext& context;
  std::size_t labels;
  std::int64_t classes;

  bool has_weights() const { return context.has_input(labels + 1); }
  bool ignores() const {
    return context.has_input(labels + 2) || context.attributes().has("ignore_index");
  }

  std::string type() const {
    const auto type_of = [&](std::size_t index) {
      return type_or_float(context.has_input(index) ? context.in(index) : OperandType());
    };
    return with_arguments("Targets", {type_of(labels), type_of(labels + 1), type_of(labels + 2),
                                      ignores() ? "true" : "false", std::to_string(classes)});
  }
  std::string object(CallText& text) const {
    std::string operands = text.reads(context, labels);
    operands += ", " + text.reads(context, labels + 1);
    operands += ", " + text.reads(context, labels + 2);
    return type() + "{" + operands + ", " +
           std::to_string(context.attributes().integer("ignore_index", 0)) + "}";
  }
};

/// The type in which losses are computed.
struct LossType {
  std::string type;
  std::int64_t bytes;

  explicit LossType(ElementType element)
      : type(compute_type(element)), bytes(type == "double" ? 8 : 4) {}
};

/// Adds the calls that reduce the targets' losses, which are in the scratch memory `losses`, and
/// store the result in output 0.
void add_total(const LoweringContext& context, const TargetOperands& targets, std::int64_t count,
               const LossType& computing, Operand losses, Lowered& lowered) {
  const bool by_weight = reduction_of(context) == Reduction::mean;
  ReductionTexts texts{with_arguments(by_weight ? "AddingPairs" : "Adding", {computing.type}),
                       by_weight ? 2 * computing.bytes : computing.bytes};
  texts.source = [&](CallText& text) {
    const std::string from = text.pointer("const " + computing.type, losses);
    if (!by_weight)
      return with_arguments("Items", {computing.type, computing.type}) + "{" + from + "}";
    return with_arguments("WeightedLosses", {computing.type, targets.type()}) + "{" + from + ", " +
           targets.object(text) + "}";
  };
  texts.sink = [&](CallText& text) {
    return with_arguments("Results", {device_type(context.out().element),
                                      by_weight ? "Quotient" : "Unchanged"}) +
           "{" + text.writes(context) + "}";
  };
  add_reduction(lowered, {count}, {1}, texts);
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

/// Output 0 is the loss, output 1 the log probabilities.
template <LossCall losses_of>
Lowered lower_loss(const LoweringContext& context) {
  const Rows rows = rows_of(context.in().dims);
  const LossType computing(context.in().element);
  const TargetOperands targets{context, 1, rows.columns};
  require_int(rows.columns);
  Lowered lowered;
  CallText text;
  if (reduction_of(context) == Reduction::none) {
    if (rows.count == 0) return lowered;
    const std::string losses = text.writes(context);
    lowered.add(losses_of(context, targets, losses, text));
    return lowered;
  }
  const Operand losses = lowered.add_scratch(rows.count * computing.bytes);
  if (rows.count > 0) {
    const std::string to = text.pointer(computing.type, losses);
    lowered.add(losses_of(context, targets, to, text));
  }
  add_total(context, targets, rows.count, computing, losses, lowered);
  return lowered;
}

/// Adds the reduction that stores the sum of the targets' weights in scratch memory.
Operand add_total_weight(const TargetOperands& targets, std::int64_t count,
                         const LossType& computing, Lowered& lowered) {
  const Operand total = lowered.add_scratch(computing.bytes);
  ReductionTexts texts{with_arguments("Adding", {computing.type}), computing.bytes};
  texts.source = [&](CallText& text) {
    return with_arguments("TargetWeights", {computing.type, targets.type()}) + "{" +
           targets.object(text) + "}";
  };
  texts.sink = [&](CallText& text) {
    return with_arguments("Results", {computing.type}) + "{" + text.pointer(computing.type, total) +
           "}";
  };
  add_reduction(lowered, {count}, {1}, texts);
  return total;
}

/// (dy, log probabilities, labels, ...) -> dx, which may overwrite the log probabilities.
template <const char* slope>
Lowered lower_loss_gradient(const LoweringContext& context) {
  if (context.out().elements() == 0) return {};
  const Rows rows = rows_of(context.out().dims);
  const LossType computing(context.out().element);
  const TargetOperands targets{context, 2, rows.columns};
  const RowPlan plan = plan_rows(
      rows, {.elements = {context.in(1).element, context.out().element}, .kept_numbers = 0});
  const Reduction reduction = reduction_of(context);
  const bool weighted = targets.has_weights() || targets.ignores();
  Lowered lowered;
  CallText text;
  std::string operands = text.reads(context, 0);
  operands += ", " + text.reads(context, 1);
  operands += ", " + targets.object(text);
  if (reduction == Reduction::mean && weighted) {
    const Operand total = add_total_weight(targets, rows.count, computing, lowered);
    operands += ", " + text.pointer("const " + computing.type, total);
  } else {
    operands += ", " + text.reads(OperandType(), Operand());
  }
  const double divisor = reduction == Reduction::mean ? static_cast<double>(rows.count) : 1;
  operands += ", " + format_number(divisor) + ", " + text.writes(context);
  const std::string function = with_arguments(
      "loss_gradient_rows",
      {computing.type, plan.layout, slope, reduction == Reduction::none ? "true" : "false"});
  lowered.add(text.call(function + "(" + operands + ")", plan.shape));
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
