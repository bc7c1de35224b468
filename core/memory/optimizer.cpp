#include "core/memory/optimizer.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/graph/tensor.h"
#include "core/memory/optimizer_states.h"
#include "core/ops/families/standard_ops.h"
#include "core/ops/rules/op.h"

namespace stashscope {

std::span<const Optimizer> optimizers() {
  constexpr std::string_view torch = "torch.optim";
  constexpr std::string_view adamw = "Loshchilov and Hutter, arXiv 1711.05101; torch.optim.AdamW";
  constexpr std::string_view blockwise = "Dettmers et al., arXiv 2110.02861; bitsandbytes";
  constexpr std::string_view lion = "Chen et al., arXiv 2302.06675";
  constexpr std::string_view torchao = "torchao.optim";
  static const Optimizer all[] = {
      {"none", "no update: no optimizer states", "", nullptr, false},
      {"sgd", "gradient descent without momentum: no states", torch},
      {"momentum", "gradient descent with momentum: one state", torch, states::momentum},
      {"adam", "two moments of the gradient", "Kingma and Ba, arXiv 1412.6980; torch.optim.Adam",
       states::two_moments},
      {"adamw", "Adam with decoupled weight decay: two moments", adamw, states::two_moments},
      {.name = "adamw_stochastic",
       .description = "AdamW that rounds bfloat16 weights stochastically: two moments in the "
                      "weight's type, never master weights",
       .source = "bf16_stochastic_round of torchao.optim",
       .states = states::two_moments,
       .rounds_stochastically = true},
      {"adamw_8bit", "AdamW with two 8-bit moments, scaled by blocks of 256 elements", blockwise,
       states::two_blockwise_moments},
      {"adamw_torch_8bit", "AdamW8bit of torchao: two 8-bit moments, in blocks of 256 elements",
       torchao, states::moments_of_8_bits},
      {"adamw_torch_4bit", "AdamW4bit of torchao: two 4-bit moments, in blocks of 128 elements",
       torchao, states::moments_of_4_bits},
      {"lion", "sign of a mixed momentum: one moment", lion, states::one_moment},
      {"lion_8bit", "Lion with one 8-bit moment, scaled by blocks of 256 elements",
       "Chen et al., arXiv 2302.06675; bitsandbytes", states::one_blockwise_moment},
      {"adafactor", "second moment of matrices by row and column, no first moment",
       "Shazeer and Stern, arXiv 1804.04235; torch.optim.Adafactor", states::factored_moment},
      {"muon",
       "one momentum for matrices, two moments of AdamW for embeddings and other parameters",
       "Jordan et al. 2024, kellerjordan.github.io/posts/muon; torch.optim.Muon", states::muon},
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

bool is_embedding(const Graph& graph, ValueId parameter) {
  return std::ranges::any_of(graph.topology().readers[parameter], [&](NodeId reader) {
    const Node& node = graph.node(reader);
    const Op* const op = standard_ops().find(node);
    return op != nullptr && op->looks_up_rows != nullptr && node.inputs.front() == parameter &&
           op->looks_up_rows(graph, node);
  });
}

std::optional<std::vector<std::int64_t>> known_shape(const TensorType& type) {
  if (!type.shape) return std::nullopt;
  std::vector<std::int64_t> shape;
  for (const Expr& dim : *type.shape) {
    const auto size = dim.integer();
    if (!size) return std::nullopt;
    shape.push_back(*size);
  }
  return shape;
}

}  // namespace

std::vector<OptimizerState> optimizer_states(const Optimizer& optimizer,
                                             const UpdatedParameter& parameter,
                                             bool master_weights) {
  std::vector<OptimizerState> states;
  if (!optimizer.updates) return states;
  UpdatedParameter updated = parameter;
  if (master_weights && is_half(parameter.element)) {
    updated.element = ElementType::float32;
    states.push_back({master_weight, updated.element});
  }
  if (optimizer.states == nullptr) return states;
  for (OptimizerState& each : optimizer.states(updated)) states.push_back(std::move(each));
  return states;
}

std::int64_t ParameterState::bytes(std::int64_t parameter_bytes) const {
  if (parameter_bytes == 0) return 0;
  if (state.shape) return packed_bytes(state.element, element_count(*state.shape));
  if (state.element == parameter_element) return parameter_bytes;
  const int bits = bits_per_element(parameter_element);
  // Elements of fewer than 8 bits share bytes, so there are more elements than bytes.
  const std::int64_t elements =
      bits < 8 ? element_count(std::array{parameter_bytes, std::int64_t{8 / bits}})
               : parameter_bytes / (bits / 8);
  return packed_bytes(state.element, elements);
}

bool keeps_master_weights(const UpdateChoice& choice) {
  return choice.master_weights && !find_optimizer(choice.optimizer).rounds_stochastically;
}

UpdateMemory update_memory(const Graph& graph, const std::vector<Parameter>& parameters,
                           const UpdateChoice& choice) {
  const Optimizer& optimizer = find_optimizer(choice.optimizer);
  UpdateMemory memory;
  std::set<ValueId> updated;
  std::set<std::string_view> shared;
  for (const auto& [parameter, gradient] : parameters) {
    if (!gradient.valid()) continue;
    if (choice.release_gradients) memory.released.push_back(gradient);
    if (!updated.insert(parameter).second) continue;
    const TensorType& type = graph.value(parameter).type;
    const UpdatedParameter given{type.element, known_shape(type), is_embedding(graph, parameter)};
    for (OptimizerState& each : optimizer_states(optimizer, given, keeps_master_weights(choice))) {
      if (each.is_shared && !shared.insert(each.name).second) continue;
      memory.states.push_back({parameter, type.element, std::move(each)});
    }
  }
  return memory;
}

}  // namespace stashscope
