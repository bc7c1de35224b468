#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/parameter.h"

namespace stashscope {

/// A tensor that an optimizer keeps for a parameter.
struct OptimizerState {
  std::string_view name;  ///< the name in training frameworks, such as `exp_avg`
  ElementType element = ElementType::float32;
  std::optional<std::vector<std::int64_t>> shape = {};  ///< not set: the parameter's shape
  bool is_shared = false;  ///< one tensor for all parameters; counted with the first of them
};

/// What an optimizer sees of a parameter.
struct UpdatedParameter {
  ElementType element = ElementType::float32;
  std::optional<std::vector<std::int64_t>> shape = {};  ///< not set: not known before the step
  bool is_embedding = false;                            ///< rows are looked up in it
};

/// The memory needs of a kind of optimizer.
struct Optimizer {
  using StatesRule = std::vector<OptimizerState> (*)(const UpdatedParameter&);

  std::string_view name;               ///< the value of --optimizer
  std::string_view description;        ///< one clause for lists and tooltips
  std::string_view source;             ///< where the rule and the layout of the states are from
  StatesRule states = nullptr;         ///< null: no states
  bool updates = true;                 ///< false: parameters are not updated and no states are kept
  bool rounds_stochastically = false;  ///< instead of keeping master weights
};

/// All optimizers; the first is the default.
std::span<const Optimizer> optimizers();

/// Throws a usage Error with the list of names if no optimizer is called `name`.
const Optimizer& find_optimizer(std::string_view name);

/// Name of the optimizer state that holds a float32 copy of a parameter.
constexpr std::string_view master_weight = "master_weight";

/// The states kept for a parameter. With `master_weights` (see `keeps_master_weights`), a 16-bit
/// parameter gets a float32 copy and the states of a float32 parameter.
std::vector<OptimizerState> optimizer_states(const Optimizer& optimizer,
                                             const UpdatedParameter& parameter,
                                             bool master_weights);

/// One optimizer tensor of one parameter.
struct ParameterState {
  ValueId parameter;
  ElementType parameter_element = ElementType::float32;
  OptimizerState state;

  /// Throws an input Error if the size does not fit into 64 bits.
  /// @param parameter_bytes size of the parameter. If it is 0, as for a parameter on the host, the
  /// state has 0 bytes, too.
  std::int64_t bytes(std::int64_t parameter_bytes) const;
};

/// How the parameter update changes the memory of a step.
struct UpdateMemory {
  std::vector<ParameterState> states;  ///< persistent
  std::vector<ValueId> released;       ///< gradients consumed as soon as they are made
};

/// How parameters are updated.
struct UpdateChoice {
  std::string optimizer = "none";
  bool master_weights = false;     ///< 16-bit parameters are updated in float32; see
                                   ///< keeps_master_weights
  bool release_gradients = false;  ///< each parameter is updated during backward

  friend bool operator==(const UpdateChoice&, const UpdateChoice&) = default;
};

/// Whether master weights are chosen and the optimizer does not round stochastically instead.
/// Throws a usage Error for an unknown optimizer.
bool keeps_master_weights(const UpdateChoice& choice);

/// The states of all parameters that receive a gradient, and the gradients to release early. Throws
/// a usage Error for an unknown optimizer.
UpdateMemory update_memory(const Graph& graph, const std::vector<Parameter>& parameters,
                           const UpdateChoice& choice);

}  // namespace stashscope
