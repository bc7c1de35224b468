#pragma once

#include <vector>

#include "core/graph/graph.h"
#include "tests/core/run/sweep/operand_sweep.h"

namespace stashscope::operand_sweep {

/// Attributes without which an operator is refused before its operands matter.
Attributes attributes_of(const std::string& type);

/// The operands of an operator whose dims must fit each other. Empty for other operators.
/// @param element by index, the types of operands for which the form states no type
std::vector<Given> operands_in_form(const std::string& type,
                                    const std::vector<ElementType>& element);

/// The number of outputs of an operator that has more than its signature names; 0 for others.
std::size_t outputs_in_form(const std::string& type);

}  // namespace stashscope::operand_sweep
