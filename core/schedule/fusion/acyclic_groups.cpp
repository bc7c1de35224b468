#include "core/schedule/fusion/acyclic_groups.h"

#include <algorithm>
#include <utility>

namespace stashscope {

namespace {

template <class Visit>
void for_each_reader(const Topology& topology, NodeId node, Visit visit) {
  for (const ValueId output : topology.outputs[node]) {
    for (const NodeId reader : topology.readers[output]) visit(reader);
  }
}

template <class Visit>
void for_each_producer(const Topology& topology, NodeId node, Visit visit) {
  for (const ValueId input : topology.inputs[node]) {
    const NodeId producer = input.valid() ? topology.producer[input] : NodeId();
    if (producer.valid()) visit(producer);
  }
}

}  // namespace

AcyclicGroups::AcyclicGroups(const FusableNodes& nodes, const Topology& topology)
    : topology_(topology),
      builder_(nodes, topology),
      place_(topology.nodes(), 0),
      seen_by_(topology.nodes(), 0) {
  for (std::size_t i = 0; i < nodes.order().size(); ++i) place_[nodes.order()[i]] = i;
}

bool AcyclicGroups::is_new(NodeId node) {
  std::size_t& seen_by = seen_by_[builder_.root(node)];
  return std::exchange(seen_by, walk_) != walk_;
}

std::optional<AcyclicGroups::Groups> AcyclicGroups::led_to(NodeId first, NodeId last) {
  ++walk_;
  is_new(first);
  const std::size_t end = place(last);
  Groups found = {first};
  for (std::size_t next = 0; next < found.size(); ++next) {
    bool meets_last = false;
    builder_.for_each_member(found[next], [&](NodeId member) {
      for_each_reader(topology_, member, [&](NodeId reader) {
        meets_last = meets_last || builder_.are_together(reader, last);
        if (place(reader) < end && is_new(reader)) found.push_back(reader);
      });
    });
    if (meets_last && next > 0) return std::nullopt;
  }
  found.erase(found.begin());
  return found;
}

AcyclicGroups::Groups AcyclicGroups::leading_to(NodeId first, NodeId last) {
  ++walk_;
  is_new(last);
  const std::size_t begin = place(first);
  Groups found = {last};
  for (std::size_t next = 0; next < found.size(); ++next) {
    builder_.for_each_member(found[next], [&](NodeId member) {
      for_each_producer(topology_, member, [&](NodeId producer) {
        if (place(producer) > begin && is_new(producer)) found.push_back(producer);
      });
    });
  }
  found.erase(found.begin());
  return found;
}

/// Distributes the places of these groups again: first `before`, then `merged`, then `after`, which
/// depends on `merged`. All other groups keep their places.
void AcyclicGroups::reorder(Groups before, NodeId merged, Groups after, std::size_t first,
                            std::size_t last) {
  const auto by_place = [&](NodeId node) { return place(node); };
  std::ranges::sort(before, {}, by_place);
  std::ranges::sort(after, {}, by_place);
  std::vector<std::size_t> places = {first, last};
  for (const NodeId node : before) places.push_back(place(node));
  for (const NodeId node : after) places.push_back(place(node));
  std::ranges::sort(places);
  before.push_back(merged);
  before.insert(before.end(), after.begin(), after.end());
  for (std::size_t i = 0; i < before.size(); ++i) {
    place_[builder_.root(before[i])] = places[i];
  }
}

bool AcyclicGroups::merge(NodeId a, NodeId b) {
  if (!builder_.can_merge(a, b)) return false;
  if (place(a) > place(b)) std::swap(a, b);
  auto after = led_to(a, b);
  if (!after) return false;
  Groups before = leading_to(a, b);
  const std::size_t first = place(a);
  const std::size_t last = place(b);
  builder_.merge(a, b);
  reorder(std::move(before), a, *std::move(after), first, last);
  return true;
}

}  // namespace stashscope
