#include "core/layout/scene/group_tree.h"

#include <algorithm>

namespace stashscope::layout {

std::size_t GroupTree::at(const std::vector<std::string>& scope) {
  std::size_t here = root;
  for (const std::string& name : scope) {
    const std::string path = entries_[here].path + "/" + name;
    const auto found = by_path_.find(path);
    here = found != by_path_.end() ? found->second : add_child(here, path, name);
  }
  return here;
}

std::size_t GroupTree::add_child(std::size_t parent, std::string path, std::string label) {
  by_path_.emplace(path, entries_.size());
  entries_.push_back({std::move(path), std::move(label), parent, {}, {}});
  entries_[parent].children.push_back(entries_.size() - 1);
  return entries_.size() - 1;
}

void GroupTree::dissolve(std::size_t child) {
  const Entry gone = std::move(entries_[child]);
  Entry& parent = entries_[gone.parent];
  std::erase(parent.children, child);
  for (const std::size_t grandchild : gone.children) {
    entries_[grandchild].parent = gone.parent;
    parent.children.push_back(grandchild);
  }
  parent.nodes.insert(parent.nodes.end(), gone.nodes.begin(), gone.nodes.end());
}

void GroupTree::move(std::size_t child, std::size_t parent) {
  std::erase(entries_[entries_[child].parent].children, child);
  entries_[child].parent = parent;
  entries_[parent].children.push_back(child);
}

std::vector<NodeId> GroupTree::all_nodes(std::size_t group) const {
  std::vector<NodeId> nodes;
  std::vector<std::size_t> inside;
  collect(group, inside);
  for (const std::size_t each : inside) {
    nodes.insert(nodes.end(), entries_[each].nodes.begin(), entries_[each].nodes.end());
  }
  return nodes;
}

std::vector<std::size_t> GroupTree::bottom_up() const {
  std::vector<std::size_t> order;
  collect(root, order);
  return order;
}

void GroupTree::collect(std::size_t at, std::vector<std::size_t>& order) const {
  for (const std::size_t child : entries_[at].children) collect(child, order);
  order.push_back(at);
}

}  // namespace stashscope::layout
