#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/dataflow.h"
#include "core/ops/rules/op.h"

namespace stashscope {

/// What a value is in the step; decides how long it lives and in which band it is drawn.
enum class ValueRole : std::uint8_t { input, parameter, constant, activation, gradient };

/// That an output takes the buffer of an input; positions within the rows of a Topology.
struct BufferShare {
  std::uint16_t input;
  std::uint16_t output;
};

/// What never changes with the choices: which buffers operators share and who lives how long.
struct BufferRules {
  IdRows<NodeId, BufferShare> aliases;   ///< always shared
  IdRows<NodeId, BufferShare> in_place;  ///< taken over when the input dies at the node
  IdVector<ValueId, ValueRole> role;
  IdVector<ValueId, bool> is_output;  ///< graph outputs live until the end

  bool is_persistent(ValueId value) const {
    return role[value] == ValueRole::input || role[value] == ValueRole::parameter ||
           role[value] == ValueRole::constant;
  }
};

/// @param parameters values that are trained, @param gradients their gradients (invalid ids
/// allowed)
BufferRules buffer_rules(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                         const std::vector<ValueId>& parameters,
                         const std::vector<ValueId>& gradients);

/// Whether the value is made in the memory of the host.
bool lives_on_host(const Graph& graph, ValueId value);

/// Device bytes of each value under `bindings`; 0 for what lives on the host. `unknown` collects
/// the values whose size cannot be told (no shape, or a dimension without a value); they count 0.
/// Throws an input Error on 64-bit overflow.
IdVector<ValueId, std::int64_t> value_bytes(const Graph& graph, const Bindings& bindings,
                                            std::vector<ValueId>& unknown);

}  // namespace stashscope
