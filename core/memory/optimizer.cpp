#include "core/memory/optimizer.h"

#include <set>

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

std::span<const Optimizer> optimizers() {
  static const Optimizer all[] = {
      {"none", "no update: no optimizer states", {}, false},
      {"sgd", "gradient descent without momentum: no states", {}},
      {"momentum", "gradient descent with momentum: one state", {"momentum_buffer"}},
      {"adam", "two moments of the gradient", {"exp_avg", "exp_avg_sq"}},
      {"adamw", "Adam with decoupled weight decay: two moments", {"exp_avg", "exp_avg_sq"}},
  };
  return all;
}

const Optimizer& find_optimizer(std::string_view name) {
  std::vector<std::string> names;
  for (const Optimizer& each : optimizers()) {
    if (each.name == name) return each;
    names.emplace_back(each.name);
  }
  fail_usage("optimizer '" + printable(std::string(name)) + "'", "is not known",
             "choose one of " + join(names, ", "));
}

namespace {

bool is_half(ElementType element) {
  return element == ElementType::float16 || element == ElementType::bfloat16;
}

}  // namespace

std::vector<OptimizerState> optimizer_states(const Optimizer& optimizer, ElementType parameter,
                                             bool master_weights) {
  std::vector<OptimizerState> states;
  if (!optimizer.updates) return states;
  const bool has_master = master_weights && is_half(parameter);
  const ElementType element = has_master ? ElementType::float32 : parameter;
  if (has_master) states.push_back({master_weight, element});
  for (const std::string_view name : optimizer.states) states.push_back({name, element});
  return states;
}

std::int64_t ParameterState::bytes(std::int64_t parameter_bytes) const {
  if (state.element == parameter_element) return parameter_bytes;
  return packed_bytes(state.element, parameter_bytes / (bits_per_element(parameter_element) / 8));
}

UpdateMemory update_memory(const Graph& graph, const std::vector<Parameter>& parameters,
                           const UpdateChoice& choice) {
  const Optimizer& optimizer = find_optimizer(choice.optimizer);
  UpdateMemory memory;
  std::set<ValueId> updated;
  for (const auto& [parameter, gradient] : parameters) {
    if (!gradient.valid()) continue;
    if (choice.release_gradients) memory.released.push_back(gradient);
    if (!updated.insert(parameter).second) continue;
    const ElementType element = graph.value(parameter).type.element;
    for (const OptimizerState& each : optimizer_states(optimizer, element, choice.master_weights)) {
      memory.states.push_back({parameter, element, each});
    }
  }
  return memory;
}

}  // namespace stashscope
