#include "core/run/cuda/ops/update.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/element_text.h"

namespace stashscope::cuda {

namespace {

std::string rule_text(const UpdateShape& shape, CallText& text) {
  const UpdateRates& rates = shape.rates;
  const auto object = [&](const std::string& rule, const std::vector<double>& numbers,
                          const std::vector<std::string>& pointers = {}) {
    std::vector<std::string> operands = {format_number(rates.learning_rate),
                                         format_number(rates.weight_decay)};
    for (const double number : numbers) operands.push_back(format_number(number));
    operands.insert(operands.end(), pointers.begin(), pointers.end());
    return rule + "{" + join(operands, ", ") + "}";
  };
  if (shape.optimizer == "sgd") return object("Descent", {});
  if (shape.optimizer == "momentum") return object("MomentumDescent", {rates.momentum});
  const std::string rule = with_arguments("Adam", {shape.optimizer == "adamw" ? "true" : "false"});
  return object(rule, {rates.beta1, rates.beta2, rates.epsilon},
                {text.pointer("const Int64", update_operands::step)});
}

void require_kernel(const UpdateShape& shape) {
  const std::vector<std::string> known = {"sgd", "momentum", "adam", "adamw"};
  if (std::ranges::find(known, shape.optimizer) != known.end()) return;
  fail_usage("--update",
             "cannot update with '" + shape.optimizer +
                 "', which has no kernel: only its memory is predicted",
             "choose one of " + join(known, ", ") + ", or run without --update");
}

/// The texts of the pointers to state `first` and to the next state. A state that the optimizer
/// does not have gives a null pointer.
std::string state_texts(const std::vector<OptimizerState>& states, std::size_t first,
                        CallText& text) {
  std::string pointers;
  for (std::size_t i = first; i < first + 2; ++i) {
    const OperandType type = i < states.size() ? OperandType{states[i].element, {}} : OperandType();
    pointers += ", " + text.writes(type, update_operands::state(i));
  }
  return pointers;
}

}  // namespace

Lowered lower_update(const UpdateShape& shape) {
  const Optimizer& optimizer = find_optimizer(shape.optimizer);
  if (!optimizer.updates || shape.elements == 0) return {};
  require_kernel(shape);
  if (!is_floating(shape.parameter) || !is_floating(shape.gradient)) {
    fail_run("", "only parameters of a floating-point type can be updated");
  }
  const std::vector<OptimizerState> states =
      optimizer_states(optimizer, {shape.parameter}, shape.master_weights);
  const bool has_master = !states.empty() && states[0].name == master_weight;
  std::vector<ElementType> elements = {shape.parameter, shape.gradient};
  for (const OptimizerState& state : states) elements.push_back(state.element);
  const OperandType master = has_master ? OperandType{ElementType::float32, {}} : OperandType();
  CallText text;
  std::string operands = text.writes({shape.parameter, {}}, update_operands::parameter);
  operands += ", " + text.reads({shape.gradient, {}}, update_operands::gradient);
  operands += ", " + text.writes(master, update_operands::state(0));
  operands += state_texts(states, has_master ? 1 : 0, text);
  operands += ", " + rule_text(shape, text);
  constexpr std::int64_t threads = 256;
  constexpr std::int64_t packs = 4;
  const std::int64_t width = widest_access(elements);
  const std::int64_t of_block = threads * packs * width;
  const std::string function =
      with_arguments("update", {compute_type(shape.parameter), std::to_string(shape.elements),
                                std::to_string(width), std::to_string(packs)});
  return single_call(
      text.call(function + "(" + operands + ")",
                {(shape.elements + of_block - 1) / of_block, static_cast<int>(threads)}));
}

}  // namespace stashscope::cuda
