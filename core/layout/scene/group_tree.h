#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/layout/scene/grouping.h"

namespace stashscope::layout {

/// A tree of groups under construction. Removed entries stay in storage but are unreachable.
class GroupTree {
 public:
  struct Entry {
    std::string path;
    std::string label;
    std::size_t parent = 0;
    std::vector<std::size_t> children;
    std::vector<NodeId> nodes;
  };

  GroupTree() : entries_(1) {}

  static constexpr std::size_t root = 0;

  Entry& operator[](std::size_t index) { return entries_[index]; }
  const Entry& operator[](std::size_t index) const { return entries_[index]; }

  /// Returns the group of a scope and creates it if it is missing.
  std::size_t at(const std::vector<std::string>& scope);
  std::size_t add_child(std::size_t parent, std::string path, std::string label);

  /// Removes `child`: its children and nodes move to its parent.
  void dissolve(std::size_t child);
  /// Moves a child under another parent.
  void move(std::size_t child, std::size_t parent);

  /// Nodes of the group and of all groups inside it.
  std::vector<NodeId> all_nodes(std::size_t group) const;

  /// All reachable entries, children before parents.
  std::vector<std::size_t> bottom_up() const;

 private:
  void collect(std::size_t at, std::vector<std::size_t>& order) const;

  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> by_path_;
};

}  // namespace stashscope::layout
