#include "core/passes/rewriting/pattern.h"

#include <algorithm>
#include <cmath>

namespace stashscope {

namespace {

/// A relative tolerance, because some exporters write few digits (1.41421 for the root of 2).
double tolerance_of(ElementType element) {
  switch (element) {
    case ElementType::float16:
      return 0x1p-10;
    case ElementType::bfloat16:
      return 0x1p-7;
    default:
      return 1e-5;
  }
}

bool commutes(const Pattern& pattern) {
  return pattern.inputs.size() == 2 && (pattern.op_type == "Add" || pattern.op_type == "Mul");
}

/// Matches one pattern at one node. Each function that matches a part of the pattern takes the rest
/// of the match as `then`. If the rest fails, the function tries its next alternative.
class Matcher {
 public:
  using Then = std::function<bool()>;

  Matcher(const Rewriter& graph, const Fusion& fusion) : graph_(graph), fusion_(fusion) {}

  /// The node that replaces a match with the root `last`; nothing if the pattern does not match.
  std::optional<Node> find(NodeId last) {
    match_.last = last;
    std::optional<Node> fused;
    match_node(fusion_.pattern, last, [&] {
      if (!is_closed() || !keeps_dims()) return false;
      fused = fusion_.build(graph_, match_);
      return fused.has_value();
    });
    return fused;
  }

 private:
  bool match(const Pattern& pattern, ValueId value, const Then& then) {
    if (!value.valid()) return false;
    if (pattern.number) return is_number(*pattern.number, value) && then();
    if (pattern.op_type.empty()) return bind(pattern.name, value, then);
    const std::size_t before = match_.nodes.size();
    NodeId maker = graph_.maker(value);
    while (maker.valid() && hands_on(maker)) {
      match_.nodes.push_back(maker);
      maker = graph_.maker(graph_.node(maker).inputs[0]);
    }
    if (maker.valid() && match_node(pattern, maker, then)) return true;
    match_.nodes.resize(before);
    return false;
  }

  bool match_node(const Pattern& pattern, NodeId id, const Then& then) {
    const Node& node = graph_.node(id);
    if (node.op_type != pattern.op_type || node.domain != pattern.domain) return false;
    if (node.inputs.size() < pattern.inputs.size() || node.outputs.empty()) return false;
    match_.nodes.push_back(id);
    const auto in_order = [&] { return match_inputs(pattern, node, 0, then); };
    if (bind(pattern.name, node.outputs[0], in_order)) return true;
    const auto swapped = [&] {
      return match(pattern.inputs[0], node.inputs[1],
                   [&] { return match(pattern.inputs[1], node.inputs[0], then); });
    };
    if (commutes(pattern) && bind(pattern.name, node.outputs[0], swapped)) return true;
    match_.nodes.pop_back();
    return false;
  }

  bool match_inputs(const Pattern& pattern, const Node& node, std::size_t at, const Then& then) {
    if (at == pattern.inputs.size()) return then();
    return match(pattern.inputs[at], node.inputs[at],
                 [&, at] { return match_inputs(pattern, node, at + 1, then); });
  }

  bool bind(const std::string& name, ValueId value, const Then& then) {
    if (name.empty()) return then();
    const auto [entry, is_new] = match_.values.try_emplace(name, value);
    if (!is_new) return seen_through(entry->second) == seen_through(value) && then();
    if (then()) return true;
    match_.values.erase(name);
    return false;
  }

  bool is_number(double wanted, ValueId value) const {
    const auto found = graph_.scalar(value);
    return found &&
           std::abs(*found - wanted) <= std::abs(wanted) * tolerance_of(graph_.type(value).element);
  }

  /// Whether the node is an Identity or a Cast to the same type.
  bool hands_on(NodeId id) const {
    const Node& node = graph_.node(id);
    if (!node.domain.empty() || node.inputs.size() != 1 || !node.inputs[0].valid()) return false;
    if (node.op_type == "Identity") return true;
    return node.op_type == "Cast" &&
           graph_.type(node.inputs[0]).element == graph_.type(node.outputs[0]).element;
  }

  ValueId seen_through(ValueId value) const {
    for (NodeId maker = graph_.maker(value); maker.valid() && hands_on(maker);) {
      value = graph_.node(maker).inputs[0];
      maker = graph_.maker(value);
    }
    return value;
  }

  /// Whether the result has the dims of the value that the pattern calls `x`, as fused operators
  /// assume. The dims differ if a constant of the match has more axes than `x`. True if the pattern
  /// has no `x`.
  bool keeps_dims() const {
    const auto x = match_.values.find("x");
    if (x == match_.values.end()) return true;
    const Shape* const from = graph_.shape(x->second);
    const Shape* const to = graph_.shape(graph_.node(match_.last).outputs[0]);
    return from != nullptr && to != nullptr && *from == *to;
  }

  /// Whether only the last node's outputs are read outside the match.
  bool is_closed() const {
    const auto inside = [&](NodeId id) {
      return std::find(match_.nodes.begin(), match_.nodes.end(), id) != match_.nodes.end();
    };
    for (const NodeId id : match_.nodes) {
      if (id == match_.last) continue;
      for (const ValueId output : graph_.node(id).outputs) {
        if (!output.valid()) continue;
        const auto& readers = graph_.readers(output);
        if (graph_.keeps(output)) return false;
        if (!std::all_of(readers.begin(), readers.end(), inside)) return false;
      }
    }
    return true;
  }

  const Rewriter& graph_;
  const Fusion& fusion_;
  Match match_;
};

}  // namespace

std::size_t fuse(Rewriter& graph, const std::vector<Fusion>& fusions) {
  std::size_t found = 0;
  for (const Fusion& fusion : fusions) {
    for (const NodeId id : IdRange<NodeId>(graph.node_count())) {
      if (graph.is_removed(id)) continue;
      std::optional<Node> fused = Matcher(graph, fusion).find(id);
      if (!fused) continue;
      graph.replace(id, std::move(*fused));
      ++found;
    }
  }
  return found;
}

}  // namespace stashscope
