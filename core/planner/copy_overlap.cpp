#include "core/planner/copy_overlap.h"

#include <algorithm>
#include <deque>
#include <limits>

#include "core/memory/slots_of.h"

namespace stashscope {

namespace {

/// Copies by the slot of the node that waits for them.
class Waits {
 public:
  Waits(const Dataflow& dataflow, const IdVector<NodeId, std::uint32_t>& slot_of,
        const CopySchedule& copies, AddedKind kind) {
    for (const OverlappedCopy& each : copies.copies) {
      if (dataflow.kind(each.node) == kind) by_slot_.emplace_back(slot_of[each.until], each.node);
    }
    std::ranges::sort(by_slot_, {}, [](const auto& each) { return each.first; });
  }

  /// The latest end of the copies that a slot waits for; 0 if there are none. Slots must be asked
  /// for in ascending order.
  double end_of(std::size_t slot, const IdVector<NodeId, double>& ends) {
    double latest = 0;
    for (; next_ < by_slot_.size() && by_slot_[next_].first == slot; ++next_) {
      latest = std::max(latest, ends[by_slot_[next_].second]);
    }
    return latest;
  }

 private:
  std::vector<std::pair<std::uint32_t, NodeId>> by_slot_;
  std::size_t next_ = 0;
};

/// When a slot of a step runs, in seconds since the step began.
struct SlotTime {
  double runs = 0;   ///< start of the node, after it has waited for fetches
  double ends = 0;   ///< end of the node, and of the offloads that must not last longer
  double waits = 0;  ///< time for which the slot waits for copies; exactly 0 if it does not wait
};

std::vector<SlotTime> slot_times(const Dataflow& dataflow, std::span<const NodeId> order,
                                 const CopySchedule& copies, const NodeTimes& seconds) {
  const IdVector<NodeId, std::uint32_t> slot_of = slots_of(dataflow.topology, order);
  Waits offloads(dataflow, slot_of, copies, AddedKind::offload);
  Waits fetches(dataflow, slot_of, copies, AddedKind::fetch);
  IdVector<NodeId, double> ends(dataflow.topology.nodes(), 0);
  std::vector<SlotTime> times;
  times.reserve(order.size());
  double away_free = 0;
  double back_free = 0;
  double now = 0;
  for (std::size_t slot = 0; slot < order.size(); ++slot) {
    const NodeId node = order[slot];
    SlotTime time;
    const double fetched = fetches.end_of(slot, ends);
    time.waits = std::max(0.0, fetched - now);
    now = time.runs = std::max(now, fetched);
    if (!is_copy(dataflow, node)) {
      now += seconds[node];
    } else if (dataflow.kind(node) == AddedKind::offload) {
      ends[node] = away_free = std::max(away_free, now) + seconds[node];
    } else {
      const NodeId offload = dataflow.topology.producer[dataflow.topology.inputs[node][0]];
      ends[node] = back_free = std::max({back_free, now, ends[offload]}) + seconds[node];
    }
    const double offloaded = offloads.end_of(slot, ends);
    time.waits += std::max(0.0, offloaded - now);
    now = time.ends = std::max(now, offloaded);
    times.push_back(time);
  }
  return times;
}

/// A node, or a fused group whose nodes run together. Copies are no units; they start between
/// units.
struct Unit {
  std::vector<NodeId> nodes;
  double seconds = 0;
  std::int64_t room = 0;  ///< bytes below the peak of the step without overlap
};

/// A tensor that is copied to the host and back.
struct Transfer {
  NodeId offload;
  NodeId fetch;
  std::size_t offload_slot = 0;  ///< without overlap
  double away_seconds = 0;
  double back_seconds = 0;
  std::int64_t held_bytes = 0;     ///< of the tensor that is offloaded
  std::int64_t fetched_bytes = 0;  ///< of the tensor that is fetched
  std::size_t after = 0;           ///< the offload starts after this many units
  std::size_t before = 0;          ///< without overlap, the fetch runs before this unit
  std::size_t reader = 0;          ///< the first unit that needs the fetched tensor
  /// Whether another node uses the offloaded tensor after its offload, perhaps to write over it.
  bool is_used_later = false;
  /// The copy to the host has ended before this unit; at least `after`, at most `before`.
  std::size_t away_before = 0;
  std::size_t start = 0;  ///< the fetch starts before this unit
};

class CopyOverlap {
 public:
  CopyOverlap(const Dataflow& dataflow, const Timeline& timeline, const FusedGroups& groups,
              const NodeTimes& seconds)
      : dataflow_(dataflow), timeline_(timeline), groups_(groups), seconds_(seconds) {
    find_units();
    find_transfers();
  }

  OverlappedOrder run() {
    std::vector<double> starts = hold();
    place_fetches(starts);
    OverlappedOrder first = result();
    // Nodes that wait for copies delay the nodes after them. The second placement knows these
    // delays and starts fetches later where no node then waits longer.
    const std::vector<SlotTime> times = times_of(first);
    place_fetches(unit_starts(first.order, times));
    OverlappedOrder second = result();
    const bool is_slower = times_of(second).back().ends > times.back().ends;
    return is_slower ? std::move(first) : std::move(second);
  }

 private:
  std::vector<SlotTime> times_of(const OverlappedOrder& step) const {
    return slot_times(dataflow_, step.order, step.copies, seconds_);
  }

  void find_units() {
    unit_of_ = IdVector<NodeId, std::size_t>(dataflow_.topology.nodes(), 0);
    FusedGroupId last;
    for (std::size_t slot = 0; slot < timeline_.order.size(); ++slot) {
      const NodeId node = timeline_.order[slot];
      const bool copies = is_copy(dataflow_, node);
      const FusedGroupId group = copies ? FusedGroupId() : groups_.of(node);
      if (!copies && (!group.valid() || group != last)) {
        units_.push_back({{}, 0, std::numeric_limits<std::int64_t>::max()});
      }
      last = group;
      unit_of_[node] = copies ? units_.size() : units_.size() - 1;
      if (!copies) add_to_unit(node, timeline_.peak_bytes - timeline_.live_bytes[slot]);
    }
  }

  void add_to_unit(NodeId node, std::int64_t room) {
    Unit& unit = units_.back();
    unit.nodes.push_back(node);
    unit.seconds += seconds_[node];
    unit.room = std::min(unit.room, room);
  }

  const Buffer& buffer_of(ValueId value) const {
    return timeline_.buffers[timeline_.buffer_of[value]];
  }

  void find_transfers() {
    const Topology& topology = dataflow_.topology;
    const IdVector<NodeId, std::uint32_t> slot_of = slots_of(topology, timeline_.order);
    for (const NodeId fetch : timeline_.order) {
      if (!is_copy(dataflow_, fetch) || dataflow_.kind(fetch) != AddedKind::fetch) continue;
      const NodeId offload = topology.producer[topology.inputs[fetch][0]];
      const ValueId fetched = topology.outputs[fetch][0];
      std::size_t reader = units_.size() - 1;
      for (const NodeId each : topology.readers[fetched]) {
        reader = std::min(reader, unit_of_[each]);
      }
      const Buffer& held = buffer_of(topology.inputs[offload][0]);
      transfers_.push_back({offload, fetch, slot_of[offload], seconds_[offload], seconds_[fetch],
                            held.bytes, buffer_of(fetched).bytes, unit_of_[offload],
                            unit_of_[fetch], reader, held.last_slot > slot_of[offload]});
    }
  }

  /// Decides until when offloaded tensors are held. Assumes that no node waits for a fetch, because
  /// such a wait would only give the copies more time. Returns the start of each unit.
  std::vector<double> hold() {
    std::vector<Transfer*> by_offload;
    for (Transfer& each : transfers_) by_offload.push_back(&each);
    std::ranges::sort(by_offload, {}, [](const Transfer* each) { return each->offload_slot; });
    auto next = by_offload.begin();
    std::vector<double> starts;
    for (std::size_t unit = 0; unit <= units_.size(); ++unit) {
      for (; next != by_offload.end() && (*next)->after == unit; ++next) start_away(**next);
      end_away(unit);
      if (unit == units_.size()) break;
      starts.push_back(now_);
      units_[unit].room -= held_;
      now_ += units_[unit].seconds;
    }
    return starts;
  }

  void start_away(Transfer& transfer) {
    link_free_ = std::max(link_free_, now_) + transfer.away_seconds;
    going_.push_back({&transfer, link_free_});
    held_ += transfer.held_bytes;
  }

  /// Ends the copies to the host that are over when the unit starts. Also ends those that must be
  /// over by then, because the unit needs their memory, because their tensor is fetched before the
  /// unit, or because other nodes use their tensor later.
  void end_away(std::size_t unit) {
    const auto is_needed = [&](const Going& each) {
      return each.transfer->before <= unit || each.transfer->is_used_later;
    };
    while (!going_.empty()) {
      const bool has_room = unit < units_.size() && held_ <= units_[unit].room;
      const bool must_end = !has_room || std::ranges::any_of(going_, is_needed);
      if (going_.front().end > now_ && !must_end) return;
      now_ = std::max(now_, going_.front().end);
      going_.front().transfer->away_before = unit;
      held_ -= going_.front().transfer->held_bytes;
      going_.pop_front();
    }
  }

  /// Decides where fetches start, from the last one to the first.
  /// @param starts the time at which each unit starts
  void place_fetches(const std::vector<double>& starts) {
    std::vector<std::int64_t> room;
    for (const Unit& unit : units_) room.push_back(unit.room);
    std::vector<Transfer*> by_reader;
    for (Transfer& each : transfers_) by_reader.push_back(&each);
    std::ranges::stable_sort(by_reader, std::greater(),
                             [&](const Transfer* each) { return each->reader; });
    double latest = std::numeric_limits<double>::max();
    for (Transfer* const each : by_reader) {
      latest = std::min(latest, starts[each->reader]) - each->back_seconds;
      each->start = each->before;
      while (each->start > each->away_before && starts[each->start] > latest &&
             room[each->start - 1] >= each->fetched_bytes) {
        room[--each->start] -= each->fetched_bytes;
      }
    }
  }

  OverlappedOrder result() const {
    std::vector<std::vector<NodeId>> copies_before(units_.size() + 1);
    for (const NodeId node : timeline_.order) {
      const bool is_offload =
          is_copy(dataflow_, node) && dataflow_.kind(node) == AddedKind::offload;
      if (is_offload) copies_before[unit_of_[node]].push_back(node);
    }
    std::vector<const Transfer*> by_reader;
    for (const Transfer& each : transfers_) by_reader.push_back(&each);
    std::ranges::stable_sort(by_reader, {}, [](const Transfer* each) { return each->reader; });
    OverlappedOrder step;
    for (const Transfer* const each : by_reader) {
      copies_before[each->start].push_back(each->fetch);
      const bool is_serial = each->away_before == each->after;
      step.copies.copies.push_back(
          {each->offload, is_serial ? each->offload : units_[each->away_before - 1].nodes.back()});
      step.copies.copies.push_back({each->fetch, units_[each->reader].nodes.front()});
    }
    for (std::size_t unit = 0; unit <= units_.size(); ++unit) {
      step.order.insert(step.order.end(), copies_before[unit].begin(), copies_before[unit].end());
      if (unit == units_.size()) break;
      step.order.insert(step.order.end(), units_[unit].nodes.begin(), units_[unit].nodes.end());
    }
    return step;
  }

  /// The time at which each unit starts to run, after it has waited for copies.
  std::vector<double> unit_starts(const std::vector<NodeId>& order,
                                  const std::vector<SlotTime>& times) const {
    std::vector<double> starts(units_.size(), 0);
    for (std::size_t slot = order.size(); slot-- > 0;) {
      if (!is_copy(dataflow_, order[slot])) starts[unit_of_[order[slot]]] = times[slot].runs;
    }
    return starts;
  }

  /// A copy to the host that may not have ended yet.
  struct Going {
    Transfer* transfer;
    double end;  ///< time at which it ends
  };

  const Dataflow& dataflow_;
  const Timeline& timeline_;
  const FusedGroups& groups_;
  const NodeTimes& seconds_;
  std::vector<Unit> units_;
  IdVector<NodeId, std::size_t> unit_of_;  ///< for a copy: the unit before which it runs
  std::vector<Transfer> transfers_;        ///< in the order of their fetches
  std::deque<Going> going_;
  std::int64_t held_ = 0;  ///< bytes of the tensors in `going_`
  double now_ = 0;
  double link_free_ = 0;
};

}  // namespace

OverlappedOrder overlap_copies(const Dataflow& dataflow, const Timeline& timeline,
                               const FusedGroups& groups, const NodeTimes& seconds) {
  return CopyOverlap(dataflow, timeline, groups, seconds).run();
}

std::vector<double> overlapped_slot_seconds(const Dataflow& dataflow, std::span<const NodeId> order,
                                            const CopySchedule& copies, const NodeTimes& seconds) {
  const std::vector<SlotTime> times = slot_times(dataflow, order, copies, seconds);
  std::vector<double> slots;
  slots.reserve(order.size());
  for (std::size_t slot = 0; slot < order.size(); ++slot) {
    const NodeId node = order[slot];
    // Adds up the parts of the slot, because the difference of its end and its start would be
    // rounded.
    slots.push_back(times[slot].waits + (is_copy(dataflow, node) ? 0 : seconds[node]));
  }
  return slots;
}

double waiting_seconds(const Dataflow& dataflow, std::span<const NodeId> order,
                       const CopySchedule& copies, const NodeTimes& seconds) {
  double waiting = 0;
  for (const SlotTime& each : slot_times(dataflow, order, copies, seconds)) waiting += each.waits;
  return waiting;
}

}  // namespace stashscope
