#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/parameter.h"

namespace stashscope {

/// A tensor that an optimizer keeps beside a parameter, of the parameter's shape.
struct OptimizerState {
  std::string_view name;  ///< as training frameworks call it: `exp_avg`
  ElementType element = ElementType::float32;
};

/// A kind of optimizer, as far as memory goes.
struct Optimizer {
  std::string_view name;         ///< as typed after --optimizer
  std::string_view description;  ///< one clause for lists and tooltips
  std::vector<std::string_view> states;
  bool updates = true;  ///< false: parameters are never updated, nothing is kept for it
};

/// All that can be chosen; the first is the default.
std::span<const Optimizer> optimizers();

/// Throws a usage Error that lists the names when there is none called `name`.
const Optimizer& find_optimizer(std::string_view name);

/// The state that is a float32 copy of a parameter.
constexpr std::string_view master_weight = "master_weight";

/// What the optimizer keeps for a parameter of a type. With `master_weights` a parameter of 16 bits
/// gets a float32 copy, and states of that type; else states have the parameter's own type.
std::vector<OptimizerState> optimizer_states(const Optimizer& optimizer, ElementType parameter,
                                             bool master_weights);

/// One tensor of an optimizer.
struct ParameterState {
  ValueId parameter;
  ElementType parameter_element = ElementType::float32;
  OptimizerState state;

  /// @param parameter_bytes size of the parameter. Throws an input Error beyond 64 bits.
  std::int64_t bytes(std::int64_t parameter_bytes) const;
};

/// How the memory of a step changes with the way in which parameters are updated.
struct UpdateMemory {
  std::vector<ParameterState> states;  ///< there throughout the step
  std::vector<ValueId> released;       ///< gradients that are used up as soon as they are made
};

/// How parameters are updated.
struct UpdateChoice {
  std::string optimizer = "none";
  bool master_weights = false;     ///< parameters of 16 bits are updated in float32
  bool release_gradients = false;  ///< each parameter is updated while backward goes on

  friend bool operator==(const UpdateChoice&, const UpdateChoice&) = default;
};

/// The states of all parameters that receive a gradient. Throws a usage Error for an unknown
/// optimizer.
UpdateMemory update_memory(const Graph& graph, const std::vector<Parameter>& parameters,
                           const UpdateChoice& choice);

}  // namespace stashscope
