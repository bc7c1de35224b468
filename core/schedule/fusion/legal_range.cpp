#include "core/schedule/fusion/legal_range.h"

#include <algorithm>

namespace stashscope {

MovableOrder::MovableOrder(const Topology& topology, const FusedGroups& groups,
                           std::vector<NodeId> order)
    : topology_(topology), groups_(groups), order_(std::move(order)), step_of_(order_.size(), 0) {
  for (std::size_t step = 0; step < order_.size(); ++step) step_of_[order_[step]] = step;
}

MovableOrder::Steps MovableOrder::steps_of(NodeId node) const {
  const FusedGroupId group = groups_.of(node);
  Steps steps{step_of_[node], step_of_[node] + 1};
  if (!group.valid()) return steps;
  for (const NodeId member : groups_.members[group]) {
    steps.begin = std::min(steps.begin, step_of_[member]);
    steps.end = std::max(steps.end, step_of_[member] + 1);
  }
  return steps;
}

std::optional<MoveObstacle> MovableOrder::last_producer(const Steps& moved) const {
  std::optional<MoveObstacle> last;
  for (std::size_t step = moved.begin; step < moved.end; ++step) {
    for (const ValueId input : topology_.inputs[order_[step]]) {
      const NodeId producer = input.valid() ? topology_.producer[input] : NodeId();
      if (!producer.valid() || step_of_[producer] >= moved.begin) continue;
      if (last && last->step >= step_of_[producer]) continue;
      last = {MoveObstacle::Kind::producer, producer, input, step_of_[producer]};
    }
  }
  return last;
}

std::optional<MoveObstacle> MovableOrder::first_reader(const Steps& moved) const {
  std::optional<MoveObstacle> first;
  for (std::size_t step = moved.begin; step < moved.end; ++step) {
    for (const ValueId output : topology_.outputs[order_[step]]) {
      if (!output.valid()) continue;
      for (const NodeId reader : topology_.readers[output]) {
        if (step_of_[reader] < moved.end) continue;
        if (first && first->step <= step_of_[reader]) continue;
        first = {MoveObstacle::Kind::reader, reader, output, step_of_[reader]};
      }
    }
  }
  return first;
}

LegalRange MovableOrder::range(NodeId node) const {
  const Steps moved = steps_of(node);
  LegalRange range{0, order_.size() - moved.count(), last_producer(moved), first_reader(moved)};
  if (range.producer) range.first = steps_of(range.producer->node).end;
  if (range.reader) range.last = steps_of(range.reader->node).begin - moved.count();
  return range;
}

std::optional<MoveObstacle> MovableOrder::obstacle(NodeId node, std::size_t before) const {
  const Steps moved = steps_of(node);
  if (before >= moved.begin && before <= moved.end) return std::nullopt;
  const bool is_earlier = before < moved.begin;
  const auto blocking = is_earlier ? last_producer(moved) : first_reader(moved);
  if (blocking) {
    const Steps others = steps_of(blocking->node);
    if (is_earlier ? before < others.end : before > others.begin) return blocking;
  }
  if (before == order_.size() || steps_of(order_[before]).begin == before) return std::nullopt;
  return MoveObstacle{MoveObstacle::Kind::group, order_[before], ValueId(), before};
}

std::size_t MovableOrder::in_front_of(NodeId node, std::size_t step) const {
  const Steps moved = steps_of(node);
  return step <= moved.begin ? step : step + moved.count();
}

void MovableOrder::move(NodeId node, std::size_t before) {
  const Steps moved = steps_of(node);
  const auto at = [&](std::size_t step) { return order_.begin() + static_cast<long>(step); };
  if (before < moved.begin) {
    std::rotate(at(before), at(moved.begin), at(moved.end));
  } else if (before > moved.end) {
    std::rotate(at(moved.begin), at(moved.end), at(before));
  }
  const std::size_t end = std::max(before, moved.end);
  for (std::size_t step = std::min(before, moved.begin); step < end; ++step) {
    step_of_[order_[step]] = step;
  }
}

}  // namespace stashscope
