#include "core/snapshot/snapshot_use.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/snapshot/snapshot_recording.h"

namespace stashscope {

namespace {

/// A tensor that is alive. Ids are invalid where the snapshot does not know.
struct LiveTensor {
  std::int64_t bytes = 0;
  SnapshotStackId stack;
  SnapshotTextId module;
  SnapshotTextId kind;
};
using LiveTensors = std::unordered_map<std::int64_t, LiveTensor>;  // by address

struct Level {
  std::int64_t bytes = 0;
  std::int64_t most = 0;
  std::size_t most_at = 0;  ///< number of events until then

  void add(std::int64_t change, std::size_t events) {
    bytes += change;
    if (bytes <= most) return;
    most = bytes;
    most_at = events;
  }
};

class UseReader {
 public:
  UseReader(const MemorySnapshot& snapshot, std::int64_t device)
      : snapshot_(snapshot), device_(device), events_(events_of(snapshot, device)) {}

  SnapshotUse read() {
    const LiveTensors before = tensors_before();
    Level tensors;
    for (const auto& [address, tensor] : before) tensors.bytes += tensor.bytes;
    tensors.most = tensors.bytes;
    Level reserved = reserved_before();
    LiveTensors live = before;
    for (std::size_t at = 0; at < events_.size(); ++at) {
      tensors.add(play(events_[at], live), at + 1);
      reserved.add(reserved_change(events_[at]), at + 1);
    }
    SnapshotUse use{device_, tensors.most, tensors.bytes, reserved.most, reserved.bytes, {}, {},
                    {}};
    live = before;
    for (std::size_t at = 0; at < tensors.most_at; ++at) play(events_[at], live);
    add_shares(live, use);
    return use;
  }

 private:
  AllocatorAction action(const SnapshotEvent& event) const {
    return action_of(snapshot_.names.text(event.action));
  }

  /// Returns the change of the live bytes.
  std::int64_t play(const SnapshotEvent& event, LiveTensors& live) const {
    const AllocatorAction what = action(event);
    if (what == AllocatorAction::alloc) {
      live[event.address] = {event.bytes, event.stack, event.user_metadata, event.category};
      return event.bytes;
    }
    if (what != AllocatorAction::free_completed) return 0;
    const auto found = live.find(event.address);
    if (found == live.end()) return 0;
    const std::int64_t bytes = found->second.bytes;
    live.erase(found);
    return -bytes;
  }

  std::int64_t reserved_change(const SnapshotEvent& event) const {
    switch (action(event)) {
      case AllocatorAction::segment_alloc:
      case AllocatorAction::segment_map:
        return event.bytes;
      case AllocatorAction::segment_free:
      case AllocatorAction::segment_unmap:
        return -event.bytes;
      default:
        return 0;
    }
  }

  Level reserved_before() const {
    Level level;
    for (const SnapshotSegment& segment : snapshot_.segments) {
      if (segment.device == device_) level.bytes += segment.total_bytes;
    }
    for (const SnapshotEvent& event : events_) level.bytes -= reserved_change(event);
    level.most = level.bytes;
    return level;
  }

  /// The tensors that the trace frees but does not make, and those that it never touches.
  LiveTensors tensors_before() const {
    LiveTensors before;
    LiveTensors made;
    for (const SnapshotEvent& event : events_) {
      const bool frees = action(event) == AllocatorAction::free_completed;
      if (frees && !made.contains(event.address)) {
        before[event.address] = {event.bytes, event.stack, event.user_metadata, event.category};
      }
      play(event, made);
    }
    for (const SnapshotSegment& segment : snapshot_.segments) {
      if (segment.device == device_) add_untouched(segment, made, before);
    }
    return before;
  }

  void add_untouched(const SnapshotSegment& segment, const LiveTensors& made,
                     LiveTensors& before) const {
    for (const SnapshotBlock& block : segment.blocks) {
      const bool is_free = snapshot_.names.text(block.state) == inactive_state;
      if (is_free || made.contains(block.address)) continue;
      before[block.address] = {block.requested_bytes, block.stack, block.user_metadata,
                               block.category};
    }
  }

  void add_shares(const LiveTensors& live, SnapshotUse& use) const {
    std::map<std::string, std::int64_t> frames;
    std::map<std::string, std::int64_t> modules;
    std::map<std::string, std::int64_t> kinds;
    std::unordered_map<SnapshotStackId, std::string> places;
    for (const auto& [address, tensor] : live) {
      const auto [place, is_new] = places.try_emplace(tensor.stack);
      if (is_new) place->second = place_of(snapshot_.names, tensor.stack);
      frames[place->second] += tensor.bytes;
      modules[known(tensor.module)] += tensor.bytes;
      kinds[known(tensor.kind)] += tensor.bytes;
    }
    use.frames = sorted(frames);
    use.modules = sorted(modules);
    use.kinds = sorted(kinds);
  }

  std::string known(SnapshotTextId id) const {
    const std::string& text = snapshot_.names.text(id);
    return text.empty() ? "unknown" : text;
  }

  static std::vector<SnapshotShare> sorted(const std::map<std::string, std::int64_t>& shares) {
    std::vector<SnapshotShare> list;
    for (const auto& [name, bytes] : shares) list.push_back({name, bytes});
    std::ranges::stable_sort(list, std::greater(), &SnapshotShare::bytes);
    return list;
  }

  const MemorySnapshot& snapshot_;
  std::int64_t device_;
  const std::vector<SnapshotEvent>& events_;
};

bool is_of_program(const std::string& file) {
  if (file.empty() || file == "??" || file.find("/torch/") != std::string::npos) return false;
  if (file.starts_with("<")) return false;
  constexpr std::string_view native[] = {".cpp", ".cc", ".c", ".h", ".hpp", ".cu", ".so"};
  return std::ranges::none_of(native, [&](std::string_view end) { return file.ends_with(end); });
}

}  // namespace

std::string place_of(const SnapshotNames& names, SnapshotStackId stack) {
  if (!stack.valid() || names.stack(stack).empty()) return "unknown";
  for (const SnapshotFrameId id : names.stack(stack)) {
    const SnapshotFrame& frame = names.frame(id);
    const std::string& file = names.text(frame.file);
    if (!is_of_program(file)) continue;
    return file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(frame.line);
  }
  const std::string& name = names.text(names.frame(names.stack(stack).front()).name);
  return name.empty() ? "unknown" : name;
}

SnapshotUse snapshot_use(const MemorySnapshot& snapshot) {
  return UseReader(snapshot, main_device(snapshot)).read();
}

std::vector<SharePair> paired(const std::vector<SnapshotShare>& left,
                              const std::vector<SnapshotShare>& right) {
  std::map<std::string, SharePair> pairs;
  for (const SnapshotShare& each : left) pairs[each.name].left = each.bytes;
  for (const SnapshotShare& each : right) pairs[each.name].right = each.bytes;
  std::vector<SharePair> list;
  for (const auto& [name, pair] : pairs) list.push_back({name, pair.left, pair.right});
  std::ranges::stable_sort(list, std::greater(),
                           [](const SharePair& pair) { return std::abs(pair.difference()); });
  return list;
}

}  // namespace stashscope
