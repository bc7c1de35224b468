#include "core/passes/inline_branches.h"

#include <unordered_map>
#include <unordered_set>

#include "core/base/error.h"

namespace stashscope {

namespace {

/// The branch of an If that is taken; null when the node is none or its condition is not known.
Subgraph known_branch(const Graph& graph, const Node& node) {
  if (node.op_type != "If" || !node.domain.empty() || node.inputs.size() != 1) return nullptr;
  if (!node.inputs[0].valid()) return nullptr;
  const auto& condition = graph.value(node.inputs[0]).contents;
  if (!condition || condition->size() != 1 || !(*condition)[0].integer()) return nullptr;
  const bool taken = !(*condition)[0].is(0);
  return node.attributes.subgraph(taken ? "then_branch" : "else_branch");
}

class Inliner {
 public:
  explicit Inliner(const Graph& graph) : data_(graph.data()) {
    for (const ValueId id : IdRange<ValueId>(data_.values.size())) {
      ids_.emplace(data_.values[id].name, id);
    }
  }

  /// Appends the branch's nodes so that they make the outputs of `node`.
  void append(const Node& node, const Graph& branch, IdVector<NodeId, Node>& nodes) {
    const GraphData& inner = branch.data();
    if (inner.outputs.size() != node.outputs.size()) {
      fail_input("node '" + printable(node.name) + "' (If)",
                 "its branch has another number of outputs");
    }
    std::unordered_map<std::size_t, ValueId> moved;
    for (const ValueId id : inner.captures) moved[id.index()] = ids_.at(inner.values[id].name);
    for (const Initializer& initializer : inner.initializers) {
      const ValueId id =
          data_.add_initializer(unique(inner.values[initializer.value].name), initializer.tensor);
      moved[initializer.value.index()] = id;
    }
    std::vector<std::pair<ValueId, ValueId>> copies;
    for (std::size_t i = 0; i < inner.outputs.size(); ++i) {
      const ValueId inside = inner.outputs[i];
      if (!node.outputs[i].valid()) continue;
      const bool is_new = moved.try_emplace(inside.index(), node.outputs[i]).second;
      if (!is_new) copies.emplace_back(moved[inside.index()], node.outputs[i]);
    }
    const auto place = [&](ValueId id) {
      if (!id.valid()) return id;
      const auto [entry, is_new] = moved.try_emplace(id.index());
      if (is_new) entry->second = data_.add_value(unique(inner.values[id].name), {});
      return entry->second;
    };
    for (Node copy : inner.nodes) {
      for (auto* list : {&copy.inputs, &copy.captured_inputs, &copy.outputs}) {
        for (ValueId& id : *list) id = place(id);
      }
      nodes.push_back(std::move(copy));
    }
    for (const auto& [from, to] : copies) {
      Node identity;
      identity.name = node.name + "_output";
      identity.op_type = "Identity";
      identity.inputs = {from};
      identity.outputs = {to};
      nodes.push_back(std::move(identity));
    }
  }

  Graph finish(IdVector<NodeId, Node> nodes) {
    data_.nodes = std::move(nodes);
    return Graph(std::move(data_));
  }

 private:
  std::string unique(const std::string& name) {
    std::string candidate = name;
    for (int i = 1; ids_.contains(candidate); ++i) candidate = name + "_" + std::to_string(i);
    ids_.emplace(candidate, ValueId());
    return candidate;
  }

  GraphData data_;
  std::unordered_map<std::string, ValueId> ids_;
};

}  // namespace

std::optional<Graph> inline_known_branches(const Graph& graph) {
  bool any = false;
  Inliner inliner(graph);
  IdVector<NodeId, Node> nodes;
  for (const Node& node : graph.nodes()) {
    if (const Subgraph branch = known_branch(graph, node)) {
      inliner.append(node, *branch, nodes);
      any = true;
    } else {
      nodes.push_back(node);
    }
  }
  if (!any) return std::nullopt;
  return inliner.finish(std::move(nodes));
}

}  // namespace stashscope
