#include "core/memory/fusion.h"

#include <algorithm>

namespace stashscope {

FusedGroups make_groups(std::size_t nodes, IdRows<FusedGroupId, NodeId> members) {
  FusedGroups groups;
  if (members.size() == 0) return groups;
  groups.group_of = IdVector<NodeId, FusedGroupId>(nodes);
  groups.members = std::move(members);
  for (const FusedGroupId id : IdRange<FusedGroupId>(groups.members.size())) {
    for (const NodeId node : groups.members[id]) groups.group_of[node] = id;
  }
  return groups;
}

bool is_made_in(const FusedGroups& groups, FusedGroupId group, const Topology& topology,
                ValueId value) {
  const NodeId producer = topology.producer[value];
  return producer.valid() && groups.of(producer) == group;
}

NodeId leader_of(const Dataflow& dataflow, const FusedGroups& groups, FusedGroupId group) {
  // The last member that is not a clone is the leader. In file order, all inputs of the group exist
  // before its last member. Clones are skipped, because file order runs a clone just before its
  // first reader, wherever its original lies.
  const auto members = groups.members[group];
  for (auto at = members.rbegin(); at != members.rend(); ++at) {
    if (!dataflow.is_clone(*at)) return *at;
  }
  return members.back();
}

namespace {

class Fuser {
 public:
  Fuser(const Graph& graph, const Dataflow& dataflow, const BufferRules& rules,
        const FusedGroups& groups)
      : graph_(graph),
        from_(dataflow),
        topology_(dataflow.topology),
        rules_(rules),
        groups_(groups),
        last_read_(topology_.values()) {}

  FusedStep fuse() {
    FusedStep step{from_, IdVector<NodeId, bool>(topology_.nodes(), false), {}};
    Topology fused;
    for (const NodeId node : IdRange<NodeId>(topology_.nodes())) {
      fused.inputs.start_row();
      fused.outputs.start_row();
      step.in_place.start_row();
      const FusedGroupId group = groups_.of(node);
      if (!group.valid()) {
        for (const ValueId input : topology_.inputs[node]) fused.inputs.push(input);
        for (const ValueId output : topology_.outputs[node]) fused.outputs.push(output);
      } else if (node == leader_of(from_, groups_, group)) {
        step.is_leader[node] = true;
        const std::vector<ValueId> inputs = read_by(group);
        const std::vector<ValueId> outputs = leaving(group);
        for (const ValueId input : inputs) fused.inputs.push(input);
        for (const ValueId output : outputs) fused.outputs.push(output);
        for (const BufferShare& share : shares(group, inputs, outputs)) step.in_place.push(share);
      }
    }
    fused.connect(topology_.values());
    step.dataflow.topology = std::move(fused);
    return step;
  }

 private:
  /// The last member of a group that reads a value.
  struct LastRead {
    FusedGroupId group;
    std::size_t member = 0;
    int times = 0;  ///< number of times this member reads the value
  };

  /// Values the group reads from outside, each once. Also records the last read of each value.
  std::vector<ValueId> read_by(FusedGroupId group) {
    std::vector<ValueId> values;
    const auto members = groups_.members[group];
    for (std::size_t member = 0; member < members.size(); ++member) {
      for (const ValueId input : topology_.inputs[members[member]]) {
        if (!input.valid() || is_made_in(groups_, group, topology_, input)) continue;
        LastRead& last = last_read_[input];
        if (last.group != group) values.push_back(input);
        const bool is_again = last.group == group && last.member == member;
        last = {group, member, is_again ? last.times + 1 : 1};
      }
    }
    return values;
  }

  std::vector<ValueId> leaving(FusedGroupId group) const {
    std::vector<ValueId> values;
    for (const NodeId member : groups_.members[group]) {
      for (const ValueId output : topology_.outputs[member]) {
        const bool is_output = output.index() < from_.graph_values && rules_.is_output[output];
        const auto readers = topology_.readers[output];
        if (is_output || std::ranges::any_of(
                             readers, [&](NodeId reader) { return groups_.of(reader) != group; })) {
          values.push_back(output);
        }
      }
    }
    return values;
  }

  bool same_type(ValueId a, ValueId b) const {
    const TensorType& left = graph_.value(from_.origin(a)).type;
    const TensorType& right = graph_.value(from_.origin(b)).type;
    return left.shape && left.shape == right.shape &&
           stored_element(graph_, from_, a) == stored_element(graph_, from_, b);
  }

  /// A block of `output` may be written over a block of `input` once all members have read the
  /// block of `input`. If `maker` itself is the last reader, its in-place rule must allow that.
  bool can_take_over(FusedGroupId group, NodeId maker, ValueId input, ValueId output) const {
    const auto members = groups_.members[group];
    const auto made = static_cast<std::size_t>(std::ranges::find(members, maker) - members.begin());
    const LastRead& last = last_read_[input];
    if (last.member != made) return last.member < made;
    if (last.times > 1) return false;
    return std::ranges::any_of(rules_.in_place[from_.origin(maker)], [&](const BufferShare& each) {
      return topology_.inputs[maker][each.input] == input &&
             topology_.outputs[maker][each.output] == output;
    });
  }

  std::vector<BufferShare> shares(FusedGroupId group, const std::vector<ValueId>& inputs,
                                  const std::vector<ValueId>& outputs) const {
    std::vector<BufferShare> shares;
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!same_type(inputs[i], outputs[o])) continue;
        if (!can_take_over(group, topology_.producer[outputs[o]], inputs[i], outputs[o])) continue;
        shares.push_back({static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(o)});
      }
    }
    return shares;
  }

  const Graph& graph_;
  const Dataflow& from_;
  const Topology& topology_;
  const BufferRules& rules_;
  const FusedGroups& groups_;
  IdVector<ValueId, LastRead> last_read_;
};

}  // namespace

FusedStep fuse(const Graph& graph, const Dataflow& dataflow, const BufferRules& rules,
               const FusedGroups& groups) {
  return Fuser(graph, dataflow, rules, groups).fuse();
}

std::vector<NodeId> with_members(const Dataflow& dataflow, const FusedGroups& groups,
                                 const std::vector<NodeId>& order) {
  if (groups.empty()) return order;
  std::vector<NodeId> all;
  all.reserve(order.size());
  for (const NodeId node : order) {
    const FusedGroupId group = groups.of(node);
    if (!group.valid()) {
      all.push_back(node);
    } else if (node == leader_of(dataflow, groups, group)) {
      const auto members = groups.members[group];
      all.insert(all.end(), members.begin(), members.end());
    }
  }
  return all;
}

Timeline with_members(const Dataflow& dataflow, const FusedGroups& groups, Timeline timeline) {
  if (groups.empty()) return timeline;
  // For each slot of the fused step, its first and last slot in the expanded timeline.
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> last;
  std::vector<std::int64_t> live;
  std::vector<std::int64_t> idle;
  const auto end = static_cast<std::uint32_t>(timeline.order.size() - 1);
  for (std::size_t step = 0; step < timeline.order.size(); ++step) {
    const std::size_t places = with_members(dataflow, groups, {timeline.order[step]}).size();
    const auto next = static_cast<std::uint32_t>(live.size());
    first.push_back(std::min(next, end));
    last.push_back(next + static_cast<std::uint32_t>(places) - (next + places > 0 ? 1 : 0));
    for (std::size_t place = 0; place < places; ++place) {
      idle.push_back(place == 0 ? timeline.idle_bytes[step] : timeline.live_bytes[step]);
      live.push_back(timeline.live_bytes[step]);
    }
  }
  idle.push_back(timeline.idle_bytes.back());
  for (Buffer& buffer : timeline.buffers) {
    buffer.first_slot = first[buffer.first_slot];
    buffer.last_slot = last[buffer.last_slot];
  }
  timeline.order = with_members(dataflow, groups, timeline.order);
  timeline.live_bytes = std::move(live);
  timeline.idle_bytes = std::move(idle);
  timeline.peak_slot = first[timeline.peak_slot];
  return timeline;
}

}  // namespace stashscope
