#pragma once

#include <cstdint>
#include <vector>

#include "core/study/facts/memory_tree.h"

namespace stashscope {

/// A box of an icicle chart: row by row from the root down, each box as wide as its bytes. A group
/// with a single group in it has no row of its own.
struct IcicleBox {
  std::uint32_t node = 0;   ///< of the memory tree; the innermost of a chain of single groups
  std::uint32_t outer = 0;  ///< the outermost of the chain; `node` itself if there is no chain
  std::uint32_t row = 0;    ///< 0: the node at the top
  double left = 0;          ///< share of the chart's width, from 0 to 1
  double right = 0;
};

/// The boxes of `top` and of the nodes below it, a box before the boxes inside it. Boxes inside
/// another keep the order of the tree and fill it from the left. None if `top` has no bytes.
/// @param bytes by node of the tree, see `tree_bytes`
/// @param least_share narrower boxes are left out, with all that is inside them
std::vector<IcicleBox> icicle_boxes(const MemoryTree& tree, const std::vector<std::int64_t>& bytes,
                                    std::uint32_t top, double least_share);

/// The names of the groups that share a box, joined by dots: `model.h`.
std::string chain_name(const MemoryTree& tree, const IcicleBox& box);

}  // namespace stashscope
