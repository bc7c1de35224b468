#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/parameter.h"

namespace stashscope {

/// A tensor that an optimizer keeps for a parameter, with the parameter's shape.
struct OptimizerState {
  std::string_view name;  ///< the name in training frameworks, such as `exp_avg`
  ElementType element = ElementType::float32;
};

/// The memory needs of a kind of optimizer.
struct Optimizer {
  std::string_view name;         ///< the value of --optimizer
  std::string_view description;  ///< one clause for lists and tooltips
  std::vector<std::string_view> states;
  bool updates = true;  ///< false: parameters are not updated and no states are kept
};

/// All optimizers; the first is the default.
std::span<const Optimizer> optimizers();

/// Throws a usage Error with the list of names if no optimizer is called `name`.
const Optimizer& find_optimizer(std::string_view name);

/// Name of the optimizer state that holds a float32 copy of a parameter.
constexpr std::string_view master_weight = "master_weight";

/// The states kept for a parameter of the given type. With `master_weights`, a 16-bit parameter
/// gets a float32 copy and float32 states; otherwise states have the parameter's type.
std::vector<OptimizerState> optimizer_states(const Optimizer& optimizer, ElementType parameter,
                                             bool master_weights);

/// One optimizer tensor of one parameter.
struct ParameterState {
  ValueId parameter;
  ElementType parameter_element = ElementType::float32;
  OptimizerState state;

  /// @param parameter_bytes size of the parameter. Throws an input Error beyond 64 bits.
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
  bool master_weights = false;     ///< 16-bit parameters are updated in float32
  bool release_gradients = false;  ///< each parameter is updated during backward

  friend bool operator==(const UpdateChoice&, const UpdateChoice&) = default;
};

/// The states of all parameters that receive a gradient, and the gradients to release early. Throws
/// a usage Error for an unknown optimizer.
UpdateMemory update_memory(const Graph& graph, const std::vector<Parameter>& parameters,
                           const UpdateChoice& choice);

}  // namespace stashscope
