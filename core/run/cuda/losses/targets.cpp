#include "core/run/cuda/losses/targets.h"

#include "core/base/text.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/cuda/codegen/reduction_plan.h"

namespace stashscope::cuda {

Reduction reduction_of(const LoweringContext& context) {
  const std::string name = context.attributes().text("reduction", "mean");
  return name == "none" ? Reduction::none : name == "sum" ? Reduction::sum : Reduction::mean;
}

OperandType TargetOperands::operand(std::size_t index) const {
  return has(index) ? context.in(index) : OperandType();
}

std::string TargetOperands::type() const {
  return with_arguments(
      "Targets", arguments_of(type_or_float(operand(labels)), type_or_float(operand(weights)),
                              type_or_float(operand(ignored)), ignores(), classes));
}

std::string TargetOperands::object(CallText& text) const {
  std::string operands = text.reads(operand(labels), input(labels));
  operands += ", " + text.reads(operand(weights), input(weights));
  operands += ", " + text.reads(operand(ignored), input(ignored));
  return type() + "{" + operands + ", " +
         std::to_string(context.attributes().integer("ignore_index", 0)) + "}";
}

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

std::optional<Operand> add_total_weight(const TargetOperands& targets, std::int64_t count,
                                        const LossType& computing, Lowered& lowered) {
  const bool differ = targets.has_weights() || targets.ignores();
  if (!differ || reduction_of(targets.context) != Reduction::mean) return std::nullopt;
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

std::string divisor_texts(const LoweringContext& context, std::optional<Operand> total,
                          std::int64_t count, const LossType& computing, CallText& text) {
  const double divisor = reduction_of(context) == Reduction::mean ? static_cast<double>(count) : 1;
  const std::string pointer = total ? text.pointer("const " + computing.type, *total)
                                    : text.reads(OperandType(), Operand());
  return pointer + ", " + format_number(divisor);
}

}  // namespace stashscope::cuda
