#pragma once

#include <string>
#include <vector>

#include "core/study/facts/memory_tree.h"

namespace stashscope {

/// The figures of the pictures as CSV (RFC 4180), below a line of titles. All amounts are bytes;
/// slots count from 1.

/// Live bytes by slot and band: all slots of the step without plans, then all of the current step.
std::string curve_table(const Study& study);

/// The groups and tensors of a memory tree below `top`, `top` included, as far as they have bytes.
/// @param bytes by node of the tree, see `tree_bytes`
std::string icicle_table(const MemoryTree& tree, const std::vector<std::int64_t>& bytes,
                         std::uint32_t top);

/// The nodes of the current step in their order, each with the bytes of the buffers that it
/// allocates and the slots in which they are alive.
std::string node_table(const Study& study);

/// The live bytes of two current steps, slot by slot.
std::string comparison_table(const Study& left, const Study& right);

}  // namespace stashscope
