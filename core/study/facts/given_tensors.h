#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// A tensor that belongs to a parameter.
struct TensorOfParameter {
  std::string name;
  ElementType element = ElementType::undefined;
  std::int64_t bytes = 0;
  NodeId maker;  ///< the node of the current step that makes the tensor; invalid: none
};

/// A tensor that no node of the step makes: a parameter, a constant, an input, or a state of the
/// optimizer in a captured step.
struct GivenTensor {
  ValueRole role = ValueRole::input;
  std::int64_t bytes = 0;
  std::optional<TensorOfParameter> gradient;  ///< only of a parameter that is trained
  std::vector<TensorOfParameter> states;      ///< of the optimizer; only of a parameter

  /// The bytes of the tensor, its gradient and its optimizer states.
  std::int64_t bytes_in_all() const;
};

/// Facts about a tensor that no node makes, in the current step.
/// @pre no node of the graph makes the tensor
GivenTensor given_tensor(const Study& study, ValueId value);

/// The tensors of the step's graph that no node makes: inputs first, then the initializers in the
/// order of the file. Literals of the graph are left out.
std::vector<ValueId> given_tensors(const Study& study);

}  // namespace stashscope
