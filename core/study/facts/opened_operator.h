#pragma once

#include <map>
#include <string>

#include "core/study/step/study.h"

namespace stashscope {

/// The operator of a node of the step's graph, as the opened model names it. The backward pass
/// replaces some forward operators, such as BatchNormalization by BatchNormInternal. An operator
/// that the opened model lacks keeps its own name.
const std::string& opened_operator(const Study& study, NodeId node);

/// All nodes of the step's graph whose `opened_operator` is not their own operator.
std::map<NodeId, std::string> opened_operators(const Study& study);

}  // namespace stashscope
