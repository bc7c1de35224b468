#include "core/study/edits/order_edits.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/study/choices/node_names.h"

namespace stashscope {

namespace {

NodeNames names_in(const Study& study) { return {study.graph(), study.current->dataflow}; }

bool are_named(const NodeNames& names, std::span<const NodeId> nodes) {
  return std::ranges::none_of(nodes, [&](NodeId node) { return names.of(node).empty(); });
}

void keep_apart(FusionChoice& fusion, std::string a, std::string b) {
  if (b < a) std::swap(a, b);
  if (a != b && !fusion.apart.contains({b, a})) fusion.apart.emplace(std::move(a), std::move(b));
}

}  // namespace

Choices with_move(const Study& study, Choices choices, NodeId node, NodeId before) {
  const FusedGroups& groups = study.current->groups;
  const FusedGroupId group = groups.of(node);
  const bool is_own =
      before == node || (before.valid() && group.valid() && groups.of(before) == group);
  if (is_own) return choices;
  const NodeNames names = names_in(study);
  if (!are_named(names, std::array{node, before.valid() ? before : node})) return choices;
  OrderMove move{names.of(node), std::nullopt};
  if (before.valid()) move.before = names.of(before);
  if (!choices.order.moves.empty() && choices.order.moves.back().node == move.node)
    choices.order.moves.pop_back();
  choices.order.moves.push_back(std::move(move));
  return choices;
}

Choices with_nodes_alone(const Study& study, Choices choices, std::span<const NodeId> nodes) {
  const NodeNames names = names_in(study);
  if (!are_named(names, nodes)) return choices;
  for (const NodeId node : nodes) choices.fusion.alone.insert(names.of(node));
  return choices;
}

Choices with_nodes_apart(const Study& study, Choices choices, NodeId a, NodeId b) {
  const NodeNames names = names_in(study);
  if (are_named(names, std::array{a, b})) keep_apart(choices.fusion, names.of(a), names.of(b));
  return choices;
}

Choices with_group_split(const Study& study, Choices choices, NodeId member) {
  const FusedGroups& groups = study.current->groups;
  const FusedGroupId group = groups.of(member);
  if (!group.valid() || groups.members[group].front() == member) return choices;
  const NodeNames names = names_in(study);
  const Topology& topology = study.current->dataflow.topology;
  const auto members = groups.members[group];
  const auto cut = std::ranges::find(members, member);
  const auto is_in_front = [&](NodeId node) {
    return node.valid() && std::find(members.begin(), cut, node) != cut;
  };
  std::vector<std::array<NodeId, 2>> parted = {{*(cut - 1), member}};
  for (auto behind = cut; behind != members.end(); ++behind) {
    for (const ValueId input : topology.inputs[*behind]) {
      const NodeId producer = input.valid() ? topology.producer[input] : NodeId();
      if (is_in_front(producer)) parted.push_back({producer, *behind});
    }
  }
  const auto is_named = [&](const auto& pair) { return are_named(names, pair); };
  if (!std::ranges::all_of(parted, is_named)) return choices;
  for (const auto& [a, b] : parted) keep_apart(choices.fusion, names.of(a), names.of(b));
  return choices;
}

std::vector<OrderEdit> order_edits(const Study& study) {
  using Kind = OrderEdit::Kind;
  const FusionChoice& fusion = study.choices.fusion;
  std::vector<OrderEdit> edits;
  for (std::size_t i = 0; i < study.choices.order.moves.size(); ++i) {
    const auto& [node, before] = study.choices.order.moves[i];
    edits.push_back({Kind::move, node, before.value_or(""), study.moves_left_out[i]});
  }
  if (fusion.alone.empty() && fusion.apart.empty()) return edits;
  const NodeNames names = names_in(study);
  const auto why_not = [&](std::initializer_list<std::string> needed) -> std::string {
    for (const std::string& name : needed) {
      if (!names.find(name).valid()) return "'" + printable(name) + "' is not in the step";
    }
    return fusion.strategy ? "" : "no nodes are fused";
  };
  for (const std::string& node : fusion.alone) {
    edits.push_back({Kind::alone, node, "", why_not({node})});
  }
  for (const auto& [a, b] : fusion.apart) edits.push_back({Kind::apart, a, b, why_not({a, b})});
  return edits;
}

Choices without_edit(const Study& study, Choices choices, std::size_t index) {
  const OrderEdit edit = order_edits(study).at(index);
  switch (edit.kind) {
    case OrderEdit::Kind::move:
      if (index < choices.order.moves.size()) {
        choices.order.moves.erase(choices.order.moves.begin() + static_cast<long>(index));
      }
      break;
    case OrderEdit::Kind::alone:
      choices.fusion.alone.erase(edit.node);
      break;
    case OrderEdit::Kind::apart:
      choices.fusion.apart.erase({edit.node, edit.other});
      break;
  }
  return choices;
}

}  // namespace stashscope
