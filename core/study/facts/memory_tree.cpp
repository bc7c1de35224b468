#include "core/study/facts/memory_tree.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/graph/node_path.h"
#include "core/study/facts/opened_operator.h"

namespace stashscope {

namespace {

constexpr std::array<std::string_view, 4> grouping_names = {"module", "band", "op_type",
                                                            "source_line"};

/// One part of a tensor's path from the root to its group.
struct PathPart {
  std::string name;
  std::optional<Band> band = std::nullopt;

  friend auto operator<=>(const PathPart&, const PathPart&) = default;
};

std::string line_of(const Node& node) {
  if (node.origin == nullptr || node.origin->file.empty()) return std::string(without_source_line);
  return std::filesystem::path(node.origin->file).filename().string() + ":" +
         std::to_string(node.origin->line);
}

/// The path of a module in a tree.
/// @param scope modules from the outside in; empty outside of all modules
std::vector<std::string> path_of_module(const std::vector<std::string>& scope, EqualBlocks blocks) {
  if (scope.empty()) return {std::string(outside_of_modules)};
  std::vector<std::string> path = scope;
  if (blocks == EqualBlocks::apart) return path;
  for (std::string& name : path) name = block_pattern(name);
  return path;
}

/// A tree under construction. Nodes are in the order in which they were added.
class TreeDraft {
 public:
  TreeDraft() : nodes_(1), children_(1) {}

  std::uint32_t child(std::uint32_t parent, const PathPart& part) {
    const auto [found, is_new] = by_part_.try_emplace({parent, part}, 0);
    if (is_new)
      found->second = add({.name = part.name, .parent = parent, .buffer = {}, .band = part.band});
    return found->second;
  }

  /// Adds a leaf for a buffer.
  void add(std::uint32_t parent, std::string name, BufferId buffer, const BandSpan& span) {
    add({.name = std::move(name),
         .parent = parent,
         .buffer = buffer,
         .from = span.from,
         .until = span.until,
         .band = span.band});
  }

  /// The nodes level by level, so that children are adjacent.
  std::vector<MemoryTreeNode> take() {
    std::vector<std::uint32_t> order = {0};
    std::vector<MemoryTreeNode> placed;
    placed.reserve(nodes_.size());
    for (std::uint32_t next = 0; next < order.size(); ++next) {
      const std::vector<std::uint32_t>& children = children_[order[next]];
      MemoryTreeNode& node = placed.emplace_back(std::move(nodes_[order[next]]));
      node.first_child = static_cast<std::uint32_t>(order.size());
      node.child_count = static_cast<std::uint32_t>(children.size());
      for (const std::uint32_t child : children) {
        nodes_[child].parent = next;
        order.push_back(child);
      }
    }
    return placed;
  }

 private:
  std::uint32_t add(MemoryTreeNode node) {
    const auto id = static_cast<std::uint32_t>(nodes_.size());
    const std::uint32_t parent = node.parent;
    node.depth = nodes_[parent].depth + 1;
    nodes_.push_back(std::move(node));
    children_.emplace_back();
    children_[parent].push_back(id);
    return id;
  }

  std::vector<MemoryTreeNode> nodes_;
  std::vector<std::vector<std::uint32_t>> children_;
  std::map<std::pair<std::uint32_t, PathPart>, std::uint32_t> by_part_;
};

class TreeBuilder {
 public:
  TreeBuilder(const Study& study, const Variant& variant, MemoryGrouping grouping,
              const TensorHomes& homes, EqualBlocks blocks)
      : study_(study), variant_(variant), grouping_(grouping), homes_(homes), blocks_(blocks) {}

  MemoryTree build() {
    std::vector<BufferId> buffers;
    for (const BufferId id : IdRange<BufferId>(variant_.timeline.buffers.size())) {
      if (variant_.timeline.buffers[id].bytes > 0) buffers.push_back(id);
    }
    std::ranges::stable_sort(buffers, {}, [&](BufferId id) { return homes_.node[id]; });
    for (const BufferId id : buffers) {
      for (const BandSpan& span : homes_.spans[id]) {
        draft_.add(group_of(id, span.band), name_of(study_.graph(), variant_.dataflow, buffer(id)),
                   id, span);
      }
    }
    draft_.child(0, {std::string(title_of(Band::workspace)), Band::workspace});
    return {grouping_, draft_.take(), blocks_};
  }

 private:
  const Buffer& buffer(BufferId id) const { return variant_.timeline.buffers[id]; }

  std::uint32_t group_of(BufferId id, Band band) {
    std::uint32_t group = 0;
    for (const PathPart& part : path_of_buffer(id, band)) group = draft_.child(group, part);
    return group;
  }

  std::vector<PathPart> path_of_buffer(BufferId id, Band used_as) const {
    const PathPart band = {std::string(title_of(used_as)), used_as};
    const NodeId home = homes_.node[id];
    switch (grouping_) {
      case MemoryGrouping::module:
        return module_path(home, band);
      case MemoryGrouping::band:
        return {band};
      case MemoryGrouping::op_type:
        return {operator_part(id, band)};
      case MemoryGrouping::source_line:
        return {{line_of_node(home)}, band};
    }
    return {};
  }

  PathPart operator_part(BufferId id, const PathPart& band) const {
    const ValueId root = variant_.dataflow.origin(buffer(id).root);
    const NodeId maker = study_.graph().topology().producer[root];
    if (buffer(id).state || !maker.valid()) return band;
    return {opened_operator(study_, maker)};
  }

  /// The source line of a node; for a gradient node, the line of its forward node.
  std::string line_of_node(NodeId node) const {
    if (!node.valid()) return std::string(without_source_line);
    const NodeId partner = homes_.modules.partner[node];
    return line_of(study_.graph().node(partner.valid() ? partner : node));
  }

  std::vector<PathPart> module_path(NodeId home, const PathPart& band) const {
    const std::vector<std::string> none;
    std::vector<PathPart> path;
    for (std::string& name :
         path_of_module(home.valid() ? homes_.modules.scope[home] : none, blocks_)) {
      path.push_back({std::move(name)});
    }
    path.push_back(band);
    return path;
  }

  const Study& study_;
  const Variant& variant_;
  MemoryGrouping grouping_;
  const TensorHomes& homes_;
  EqualBlocks blocks_;
  TreeDraft draft_;
};

/// The nodes of the graph that make the tensors in a node of the tree, ascending.
std::vector<NodeId> makers_in_tree(const MemoryTree& tree, const Variant& variant,
                                   std::uint32_t node) {
  std::set<NodeId> makers;
  std::vector<std::uint32_t> open = {node};
  while (!open.empty()) {
    const MemoryTreeNode& next = tree.nodes[open.back()];
    open.pop_back();
    for (std::uint32_t child = 0; child < next.child_count; ++child) {
      open.push_back(next.first_child + child);
    }
    if (!next.buffer.valid() || variant.timeline.buffers[next.buffer].state) continue;
    const ValueId root = variant.timeline.buffers[next.buffer].root;
    const NodeId maker = variant.dataflow.topology.producer[root];
    if (maker.valid()) makers.insert(variant.dataflow.origin(maker));
  }
  return {makers.begin(), makers.end()};
}

bool is_module(const MemoryTree& tree, std::uint32_t node) {
  return tree.grouping == MemoryGrouping::module && node != 0 && !tree.nodes[node].band;
}

std::vector<std::string> parts_in_tree(const MemoryTree& tree, std::size_t node) {
  std::vector<std::string> parts;
  for (; node != 0; node = tree.nodes[node].parent) parts.push_back(tree.nodes[node].name);
  std::ranges::reverse(parts);
  return parts;
}

}  // namespace

std::string_view name_of(MemoryGrouping grouping) {
  return grouping_names[static_cast<std::size_t>(grouping)];
}

MemoryTree memory_tree(const Study& study, const Variant& variant, MemoryGrouping grouping,
                       const TensorHomes& homes, EqualBlocks blocks) {
  return TreeBuilder(study, variant, grouping, homes, blocks).build();
}

MemoryTree memory_tree(const Study& study, const Variant& variant, MemoryGrouping grouping) {
  return memory_tree(study, variant, grouping, tensor_homes(study, variant));
}

std::vector<std::int64_t> tree_bytes(const MemoryTree& tree, const Timeline& timeline,
                                     std::size_t slot) {
  std::vector<std::int64_t> bytes(tree.nodes.size(), 0);
  if (slot >= timeline.live_bytes.size()) return bytes;
  std::size_t workspace = 0;
  for (std::size_t i = tree.nodes.size(); i-- > 1;) {
    const MemoryTreeNode& node = tree.nodes[i];
    if (node.buffer.valid()) {
      const Buffer& buffer = timeline.buffers[node.buffer];
      const bool is_used = node.from <= slot && slot <= node.until;
      if (is_used && is_alive(buffer, slot)) bytes[i] = buffer.bytes;
    }
    bytes[node.parent] += bytes[i];
    if (workspace == 0 && node.parent == 0) workspace = i;
  }
  bytes[workspace] = timeline.live_bytes[slot] - bytes[0];
  bytes[0] = timeline.live_bytes[slot];
  return bytes;
}

std::vector<NodeId> nodes_in_tree(const MemoryTree& tree, const Variant& variant,
                                  const NodeModules& modules, std::uint32_t node) {
  if (!is_module(tree, node)) return makers_in_tree(tree, variant, node);
  const std::vector<std::string> module = parts_in_tree(tree, node);
  std::vector<NodeId> nodes;
  for (const NodeId id : IdRange<NodeId>(modules.scope.size())) {
    const std::vector<std::string> path = path_of_module(modules.scope[id], tree.blocks);
    const bool is_inside =
        path.size() >= module.size() && std::equal(module.begin(), module.end(), path.begin());
    if (is_inside) nodes.push_back(id);
  }
  return nodes;
}

std::string path_in_tree(const MemoryTree& tree, std::size_t node) {
  return join(parts_in_tree(tree, node), ".");
}

}  // namespace stashscope
