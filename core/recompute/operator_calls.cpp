#include "core/recompute/operator_calls.h"

#include <algorithm>

namespace stashscope {

namespace {

constexpr std::string_view domain_prefix = "pytorch.";

/// The full name of the operator, such as `aten.mm.default`. Empty for a node that is no operator
/// of PyTorch, such as a node for a tensor that Python made.
std::string operator_name(const Node& node) {
  if (!node.domain.starts_with(domain_prefix)) return "";
  const std::string space = node.domain.substr(domain_prefix.size());
  if (space == "python") return "";
  return space + "." + node.op_type + "." + node.attributes.text("overload", "default");
}

}  // namespace

bool has_tag(const Node& node, std::string_view tag) {
  const auto tags = node.attributes.texts("tags");
  return std::ranges::find(tags, tag) != tags.end();
}

bool is_in_place(const Node& node) { return node.op_type.ends_with('_'); }

bool draws(const Node& node) {
  if (!has_tag(node, "random")) return false;
  const bool is_attention = node.op_type.find("attention") != std::string::npos;
  return !is_attention ||
         node.attributes.text("arguments", "").find("dropout_p=") != std::string::npos;
}

OperatorCalls::OperatorCalls(const Graph& graph) : graph_(graph), name_(graph.nodes().size()) {
  const CapturedStep& step = *graph.data().captured;
  for (const NodeId id : IdRange<NodeId>(graph.nodes().size())) {
    const auto [known, is_new] = ids_.try_emplace(operator_name(graph.node(id)), names_.size());
    if (is_new) names_.push_back(known->first);
    name_[id] = known->second;
  }
  for (const SavedTensor& saved : step.saved) {
    const ValueId root = step.storages[saved.storage].root;
    if (!saved.is_number || !root.valid()) continue;
    numbers_.emplace(saved.node, graph.value(root).producer);
  }
}

std::map<OperatorCalls::Key, NodeId> OperatorCalls::of(const RegionCall& call) const {
  std::map<Key, NodeId> found;
  std::map<std::size_t, std::size_t> counts;
  for (std::size_t i = call.first.index(); i < call.end; ++i) {
    const std::size_t name = name_[NodeId(i)];
    found[{name, counts[name]++}] = NodeId(i);
  }
  return found;
}

std::set<std::size_t> OperatorCalls::uncounted(const RegionCall& call) const {
  std::set<std::size_t> names;
  const auto add = [&](const std::string& name) {
    if (const auto known = find(name)) names.insert(*known);
  };
  for (const char* const never : {"", "aten.detach.default"}) add(never);
  for (const NodeId node : call.again) {
    if (node < call.first) names.insert(name_[node]);
  }
  // Where a step has `add_`, PyTorch may call `add` under a selective checkpoint. The calls of
  // `add` cannot be counted then.
  for (std::size_t i = call.first.index(); i < call.end; ++i) {
    if (graph_.node(NodeId(i)).op_type == "add_") add("aten.add.Tensor");
  }
  return names;
}

std::optional<std::size_t> OperatorCalls::find(const std::string& name) const {
  const auto known = ids_.find(name);
  if (known == ids_.end()) return std::nullopt;
  return known->second;
}

std::vector<NodeId> OperatorCalls::numbers_for(NodeId node) const {
  std::vector<NodeId> found;
  const auto [from, to] = numbers_.equal_range(node);
  for (auto each = from; each != to; ++each) found.push_back(each->second);
  return found;
}

}  // namespace stashscope
