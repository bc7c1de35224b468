#pragma once

#include <string>

#include "core/study/step/study.h"

namespace stashscope {

/// What a node's value is.
enum class NodeDataKind : std::uint8_t {
  live,    ///< bytes that are alive while the node runs
  stashed  ///< bytes that the node makes and that wait for the backward pass
};

/// The nodes of the current step with their bytes, as node data for Model Explorer. Where plans run
/// a node again, its live bytes are the largest of its runs, and its stashed bytes are their sum.
/// Nodes without a name have the name of their first output.
std::string node_data(const Study& study, NodeDataKind kind);

}  // namespace stashscope
