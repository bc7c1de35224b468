#include "core/passes/inline_branches.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/unused_name.h"

namespace stashscope {

namespace {

/// The branch that an If takes; null for any other node or an unknown condition.
Subgraph known_branch(const Graph& graph, const Node& node) {
  if (node.op_type != "If" || !node.domain.empty() || node.inputs.size() != 1) return nullptr;
  if (!node.inputs[0].valid()) return nullptr;
  const auto& condition = graph.value(node.inputs[0]).contents;
  if (!condition || condition->size() != 1 || !(*condition)[0].integer()) return nullptr;
  const bool taken = !(*condition)[0].is(0);
  return node.attributes.subgraph(taken ? "then_branch" : "else_branch");
}

using Names = std::map<std::string, std::string>;

/// Adds the names of all values in the subgraphs of a node, except captured values.
void add_own_names(const Node& node, std::unordered_set<std::string>& names) {
  for (const auto& [key, value] : node.attributes.items()) {
    const Subgraph* const body = std::get_if<Subgraph>(&value);
    if (body == nullptr || *body == nullptr) continue;
    const GraphData& data = (*body)->data();
    for (const ValueId id : IdRange<ValueId>(data.values.size())) {
      const auto& captures = data.captures;
      const bool own = std::find(captures.begin(), captures.end(), id) == captures.end();
      if (own) names.insert(data.values[id].name);
    }
    for (const Node& each : data.nodes) add_own_names(each, names);
  }
}

/// The attributes, with captured values of subgraphs renamed.
Attributes with_captures(const Attributes& attributes, const Names& renamed) {
  Attributes result;
  for (const auto& [key, value] : attributes.items()) {
    const Subgraph* const body = std::get_if<Subgraph>(&value);
    if (body == nullptr || *body == nullptr) {
      result.set(key, value);
      continue;
    }
    GraphData data = (*body)->data();
    Names inside;
    for (const ValueId id : data.captures) {
      const auto found = renamed.find(data.values[id].name);
      if (found == renamed.end()) continue;
      inside.insert(*found);
      data.values[id].name = found->second;
    }
    for (Node& each : data.nodes) each.attributes = with_captures(each.attributes, inside);
    result.set(key, std::make_shared<const Graph>(std::move(data)));
  }
  return result;
}

class Inliner {
 public:
  explicit Inliner(const Graph& graph) : data_(graph.data()) {
    for (const ValueId id : IdRange<ValueId>(data_.values.size())) {
      ids_.emplace(data_.values[id].name, id);
      taken_.insert(data_.values[id].name);
    }
  }

  /// Appends the branch's nodes, which then produce the outputs of `node`.
  void append(const Node& node, const Graph& branch, IdVector<NodeId, Node>& nodes) {
    const GraphData& inner = branch.data();
    if (inner.outputs.size() != node.outputs.size()) {
      fail_input("node '" + printable(node.name) + "' (If)",
                 "has a different number of outputs than its branch");
    }
    for (const Node& each : inner.nodes) add_own_names(each, taken_);
    std::unordered_map<std::size_t, ValueId> moved;
    for (const ValueId id : inner.captures) moved[id.index()] = ids_.at(inner.values[id].name);
    for (const Initializer& initializer : inner.initializers) {
      const ValueId id = data_.add_initializer(
          unused_name(inner.values[initializer.value].name, taken_), initializer.tensor);
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
      if (is_new) entry->second = data_.add_value(unused_name(inner.values[id].name, taken_), {});
      return entry->second;
    };
    for (Node copy : inner.nodes) {
      Names renamed;
      for (const ValueId id : copy.captured_inputs) {
        const std::string& name = data_.values[place(id)].name;
        if (name != inner.values[id].name) renamed.emplace(inner.values[id].name, name);
      }
      if (!renamed.empty()) copy.attributes = with_captures(copy.attributes, renamed);
      for (auto* list : {&copy.inputs, &copy.captured_inputs, &copy.outputs}) {
        for (ValueId& id : *list) id = place(id);
      }
      nodes.push_back(std::move(copy));
    }
    for (const auto& [from, to] : copies) {
      nodes.push_back({node.name + "_output", "", "Identity", {from}, {to}, {}, {}, ""});
    }
  }

  Graph finish(IdVector<NodeId, Node> nodes) {
    data_.nodes = std::move(nodes);
    return Graph(std::move(data_));
  }

 private:
  GraphData data_;
  std::unordered_map<std::string, ValueId> ids_;
  std::unordered_set<std::string> taken_;
};

}  // namespace

std::optional<Graph> inline_known_branches(const Graph& graph) {
  const auto is_known = [&](const Node& node) { return known_branch(graph, node) != nullptr; };
  if (std::ranges::none_of(graph.nodes(), is_known)) return std::nullopt;
  Inliner inliner(graph);
  IdVector<NodeId, Node> nodes;
  for (const Node& node : graph.nodes()) {
    if (const Subgraph branch = known_branch(graph, node)) {
      inliner.append(node, *branch, nodes);
    } else {
      nodes.push_back(node);
    }
  }
  return inliner.finish(std::move(nodes));
}

}  // namespace stashscope
