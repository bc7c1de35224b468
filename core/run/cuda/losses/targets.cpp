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

void add_total(const TargetOperands& targets, std::int64_t count, ElementType computed,
               Operand losses, Lowered& lowered) {
  const LoweringContext& context = targets.context;
  const bool by_weight = reduction_of(context) == Reduction::mean;
  const std::string type = device_type(computed);
  ReductionTexts texts{with_arguments(by_weight ? "AddingPairs" : "Adding", {type}),
                       (by_weight ? 2 : 1) * element_bytes(computed)};
  texts.source = [&](CallText& text) {
    const std::string from = text.pointer("const " + type, losses);
    if (!by_weight) return with_arguments("Items", {type, type}) + "{" + from + "}";
    return with_arguments("WeightedLosses", {type, targets.type()}) + "{" + from + ", " +
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
                                        ElementType computed, Lowered& lowered) {
  const bool differ = targets.has_weights() || targets.ignores();
  if (!differ || reduction_of(targets.context) != Reduction::mean) return std::nullopt;
  const std::string type = device_type(computed);
  const Operand total = lowered.add_scratch(element_bytes(computed));
  ReductionTexts texts{with_arguments("Adding", {type}), element_bytes(computed)};
  texts.source = [&](CallText& text) {
    return with_arguments("TargetWeights", {type, targets.type()}) + "{" + targets.object(text) +
           "}";
  };
  texts.sink = [&](CallText& text) {
    return with_arguments("Results", {type}) + "{" + text.pointer(type, total) + "}";
  };
  add_reduction(lowered, {count}, {1}, texts);
  return total;
}

std::vector<std::string> divisor_operands(const TargetOperands& targets,
                                          std::optional<Operand> total, std::int64_t count,
                                          ElementType computed, CallText& text) {
  const bool is_mean = reduction_of(targets.context) == Reduction::mean;
  const std::string pointer = total ? text.pointer("const " + device_type(computed), *total)
                                    : text.reads(OperandType(), Operand());
  return {pointer, format_number(is_mean ? static_cast<double>(count) : 1)};
}

}  // namespace stashscope::cuda
