#pragma once

#include <string>
#include <vector>

#include "core/study/facts/memory_tree.h"

namespace stashscope {

// The functions return the data of charts as CSV (RFC 4180). The first line has the column titles.
// All amounts are bytes; slots count from 1.

/// Live bytes by slot and band: all slots of the step without plans, then all slots of the current
/// step.
std::string curve_table(const Study& study);

/// The nodes of a memory tree: `top`, and the groups and tensors below `top`. Nodes with 0 bytes
/// are left out.
/// @param bytes bytes of each node of the tree, see `tree_bytes`
std::string icicle_table(const MemoryTree& tree, const std::vector<std::int64_t>& bytes,
                         std::uint32_t top);

/// The nodes of the current step in execution order. A node's row has the bytes of the buffers that
/// the node allocates, and the first and the last slot in which these buffers are alive.
std::string node_table(const Study& study);

/// The live bytes of the current steps of two studies, slot by slot.
std::string comparison_table(const Study& left, const Study& right);

}  // namespace stashscope
