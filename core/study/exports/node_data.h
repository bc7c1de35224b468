#pragma once

#include <string>

#include "core/study/step/study.h"

namespace stashscope {

/// The bytes that a node data file, which Model Explorer reads, has for each node.
enum class NodeDataKind : std::uint8_t {
  live,    ///< bytes that are alive while the node runs
  stashed  ///< bytes that the node makes and that wait for the backward pass
};

/// The nodes of the current step with their bytes, as node data for Model Explorer. If plans run a
/// node again, its live bytes are the maximum over its runs, and its stashed bytes are the sum over
/// its runs. Nodes without a name have the name of their first output.
std::string node_data(const Study& study, NodeDataKind kind);

}  // namespace stashscope
