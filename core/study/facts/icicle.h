#pragma once

#include <cstdint>
#include <vector>

#include "core/study/facts/memory_tree.h"

namespace stashscope {

/// A box of an icicle chart. The rows of the chart go from the root down, and the width of a box
/// shows its bytes. A chain of groups in which each group holds only the next one is drawn as a
/// single box.
struct IcicleBox {
  std::uint32_t node = 0;   ///< node of the memory tree; the innermost group of a chain
  std::uint32_t outer = 0;  ///< the outermost group of the chain; `node` if there is no chain
  std::uint32_t row = 0;    ///< row of the chart; 0: the row of the top node
  double left = 0;          ///< share of the chart's width, from 0 to 1
  double right = 0;
};

/// The boxes of `top` and of the nodes below `top`. A box comes before the boxes inside it. The
/// boxes inside a box have the order of the tree and fill the box from the left. Empty if `top` has
/// no bytes.
/// @param bytes bytes of each node of the tree, see `tree_bytes`
/// @param least_share narrower boxes are left out, with all boxes inside them
std::vector<IcicleBox> icicle_boxes(const MemoryTree& tree, const std::vector<std::int64_t>& bytes,
                                    std::uint32_t top, double least_share);

/// The names of the groups that share a box, joined by dots: `model.h`.
std::string chain_name(const MemoryTree& tree, const IcicleBox& box);

}  // namespace stashscope
