#include "core/layout/scene/runs.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "core/layout/scene/source_order.h"

namespace stashscope::layout {

namespace {

/// A node or an inner group of a level, with its position in the order of the model's file.
struct Item {
  NodeId place;
  NodeId node;  ///< invalid for groups
  std::size_t group = 0;

  bool is_group() const { return !node.valid(); }
};

class RunGatherer {
 public:
  RunGatherer(GroupTree& tree, const Graph& graph, const Grouping& facts, const RunLimits& limits)
      : tree_(tree),
        graph_(graph),
        side_(facts.side),
        partner_(facts.partner),
        names_(facts.operator_names),
        limits_(limits),
        places_(graph, facts.side) {}

  void gather_level(std::size_t level) {
    pieces_ = 0;
    std::vector<Item> items = items_of(level);
    const bool at_top = level == GroupTree::root;
    if (items.size() <= (at_top ? limits_.most_at_top : limits_.most_items)) return;
    run_of_.clear();
    items = gather_loose(level, items);
    while (items.size() > limits_.most_items) {
      std::vector<Item> fewer;
      append_pieces(level, items, fewer);
      items = std::move(fewer);
    }
    send_gradients_after(level);
  }

 private:
  /// The forward nodes of a level (all its nodes if none is forward) and its groups, by position.
  std::vector<Item> items_of(std::size_t level) const {
    std::vector<Item> items;
    const auto& nodes = tree_[level].nodes;
    const bool backward_only =
        std::none_of(nodes.begin(), nodes.end(), [&](NodeId id) { return is_forward(id); });
    for (const NodeId node : nodes) {
      if (is_forward(node) || backward_only) items.push_back({places_.of_node(node), node, 0});
    }
    for (const std::size_t child : tree_[level].children) {
      items.push_back({places_.of_group(tree_.all_nodes(child)), NodeId(), child});
    }
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
      return std::tie(a.place, a.group) < std::tie(b.place, b.group);
    });
    return items;
  }

  bool is_forward(NodeId node) const { return side_[node] == Side::forward; }

  /// Gathers each run of consecutive nodes between two groups into new groups of at most `piece`
  /// nodes. Runs shorter than `shortest` stay unchanged.
  std::vector<Item> gather_loose(std::size_t level, const std::vector<Item>& items) {
    std::vector<Item> result;
    for (auto at = items.begin(); at != items.end();) {
      const auto end = std::find_if(at, items.end(), [](const Item& i) { return i.is_group(); });
      if (static_cast<std::size_t>(end - at) >= limits_.shortest) {
        append_pieces(level, {at, end}, result);
      } else {
        result.insert(result.end(), at, end);
      }
      at = end;
      if (at != items.end()) result.push_back(*at++);
    }
    return result;
  }

  void append_pieces(std::size_t level, const std::vector<Item>& items, std::vector<Item>& result) {
    const std::size_t count = (items.size() + limits_.piece - 1) / limits_.piece;
    for (std::size_t i = 0; i < count; ++i) {
      const auto begin = items.begin() + static_cast<std::ptrdiff_t>(items.size() * i / count);
      const auto end = items.begin() + static_cast<std::ptrdiff_t>(items.size() * (i + 1) / count);
      result.push_back(gather(level, {begin, end}));
    }
  }

  Item gather(std::size_t level, const std::vector<Item>& items) {
    // The double slash makes the path unique: paths read from node names never contain one.
    const std::string number = std::to_string(++pieces_);
    const std::string path = tree_[level].path + "//part " + number;
    const std::size_t group =
        tree_.add_child(level, path, "part " + number + ": " + ends_of(items));
    for (const Item& item : items) {
      if (item.is_group()) {
        tree_.move(item.group, group);
      } else {
        tree_[group].nodes.push_back(item.node);
        run_of_[item.node] = group;
      }
    }
    return {items.front().place, NodeId(), group};
  }

  /// The labels of the first and the last item, or one label if they are equal.
  std::string ends_of(const std::vector<Item>& items) const {
    const std::string first = label_of(items.front());
    const std::string last = label_of(items.back());
    return first == last ? first : first + " … " + last;
  }

  std::string label_of(const Item& item) const {
    if (!item.is_group()) return operator_name(graph_, names_, item.node);
    const std::string& label = tree_[item.group].label;
    return label.substr(0, label.find(':'));
  }

  /// Moves backward nodes into groups: a gradient node joins the group of its forward node, any
  /// other backward node joins the group of the backward node before it.
  void send_gradients_after(std::size_t level) {
    std::vector<NodeId> nodes = std::move(tree_[level].nodes);
    tree_[level].nodes.clear();
    std::sort(nodes.begin(), nodes.end());
    std::size_t target = level;
    for (const NodeId node : nodes) {
      if (run_of_.contains(node)) continue;
      if (is_forward(node)) {
        tree_[level].nodes.push_back(node);
        continue;
      }
      if (partner_[node].valid()) {
        const auto run = run_of_.find(partner_[node]);
        target = run == run_of_.end() ? level : run->second;
      }
      tree_[target].nodes.push_back(node);
    }
  }

  GroupTree& tree_;
  const Graph& graph_;
  const IdVector<NodeId, Side>& side_;
  const IdVector<NodeId, NodeId>& partner_;
  const OperatorNames& names_;
  const RunLimits limits_;
  const SourceOrder places_;
  std::unordered_map<NodeId, std::size_t> run_of_;
  std::size_t pieces_ = 0;
};

}  // namespace

void gather_runs(GroupTree& tree, const Graph& graph, const Grouping& facts,
                 const RunLimits& limits) {
  RunGatherer gatherer(tree, graph, facts, limits);
  for (const std::size_t level : tree.bottom_up()) gatherer.gather_level(level);
}

}  // namespace stashscope::layout
