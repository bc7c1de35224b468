#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/dataflow.h"
#include "core/ops/rules/op.h"

namespace stashscope {

/// The role of a value in the step. The band of the value depends on it.
enum class ValueRole : std::uint8_t {
  input,
  parameter,
  constant,
  activation,
  gradient,
  optimizer_state,    ///< only in a captured step, whose graph contains the optimizer's states
  gathered_parameter  ///< memory of a captured step into which FSDP2 gathers parameters
};

/// An output that uses the buffer of an input. Both members are positions in rows of a Topology.
struct BufferShare {
  std::uint16_t input;
  std::uint16_t output;
};

/// Buffer sharing and lifetimes as far as they depend on the graph only, not on the user's choices.
struct BufferRules {
  IdRows<NodeId, BufferShare> aliases;   ///< always shared
  IdRows<NodeId, BufferShare> in_place;  ///< shared only if the input dies at the node
  IdVector<ValueId, ValueRole> role;
  IdVector<ValueId, bool> is_output;  ///< graph outputs, which outlive the step unless the update
                                      ///< of parameters releases them

  IdVector<ValueId, bool> is_given;  ///< exists before the step: inputs and initializers
  /// In a captured step, the last node during which the value's storage lives, even if no node
  /// reads the value that late; invalid: the storage outlives the step. Empty in other steps.
  IdVector<ValueId, NodeId> held_until;

  /// In a captured step that lists what autograd saves, the values whose storage autograd does not
  /// hold. After the last read of such a value, only the script holds the storage. Empty in other
  /// steps.
  IdVector<ValueId, bool> held_by_script;

  /// In a captured step, the states of the optimizer that take the place of states from before the
  /// step. Empty in other steps.
  IdVector<ValueId, bool> replaces_state;

  /// Whether the value exists before the step and is not freed within the step.
  bool is_persistent(ValueId value) const {
    return is_given[value] && (held_until.empty() || !held_until[value].valid());
  }
};

/// @param parameters trained values
/// @param gradients gradients of the parameters; invalid ids are allowed
BufferRules buffer_rules(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                         const std::vector<ValueId>& parameters,
                         const std::vector<ValueId>& gradients);

/// Whether the value is produced in host memory.
bool lives_on_host(const Graph& graph, ValueId value);

/// Device bytes of each value under `bindings`; 0 for values in host memory. `unknown` collects the
/// values of unknown size (no shape, or a dimension without a value); they count as 0 bytes.
/// Throws an input Error if a size is negative or does not fit into 64 bits.
IdVector<ValueId, std::int64_t> value_bytes(const Graph& graph, const Bindings& bindings,
                                            std::vector<ValueId>& unknown);

}  // namespace stashscope
