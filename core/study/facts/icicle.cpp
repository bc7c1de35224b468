#include "core/study/facts/icicle.h"

#include <algorithm>

#include "core/base/text.h"

namespace stashscope {

namespace {

/// The innermost group of the chain that starts at `node`. In a chain, each group holds all bytes
/// of the group around it.
std::uint32_t end_of_chain(const MemoryTree& tree, const std::vector<std::int64_t>& bytes,
                           std::uint32_t node) {
  while (true) {
    const MemoryTreeNode& group = tree.nodes[node];
    std::uint32_t only = node;
    for (std::uint32_t i = 0; i < group.child_count; ++i) {
      if (bytes[group.first_child + i] == bytes[node]) only = group.first_child + i;
    }
    if (only == node || tree.nodes[only].child_count == 0 || tree.nodes[only].band) return node;
    node = only;
  }
}

}  // namespace

std::vector<IcicleBox> icicle_boxes(const MemoryTree& tree, const std::vector<std::int64_t>& bytes,
                                    std::uint32_t top, double least_share) {
  if (top >= tree.nodes.size() || bytes[top] <= 0) return {};
  const auto all = static_cast<double>(bytes[top]);
  std::vector<IcicleBox> boxes = {{top, top, 0, 0, 1}};
  for (std::size_t next = 0; next < boxes.size(); ++next) {
    const IcicleBox box = boxes[next];
    const MemoryTreeNode& node = tree.nodes[box.node];
    double left = box.left;
    for (std::uint32_t child = node.first_child; child < node.first_child + node.child_count;
         ++child) {
      const double share = static_cast<double>(bytes[child]) / all;
      if (share > 0 && share >= least_share) {
        boxes.push_back({end_of_chain(tree, bytes, child), child, box.row + 1, left, left + share});
      }
      left += share;
    }
  }
  return boxes;
}

std::string chain_name(const MemoryTree& tree, const IcicleBox& box) {
  std::vector<std::string> names = {tree.nodes[box.node].name};
  for (std::uint32_t node = box.node; node != box.outer;) {
    node = tree.nodes[node].parent;
    names.push_back(tree.nodes[node].name);
  }
  std::ranges::reverse(names);
  return join(names, ".");
}

}  // namespace stashscope
