#include "core/study/reserved/allocator_map.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/study/reserved/step_player.h"

namespace stashscope {

namespace {

/// Records where the blocks of the last step lie.
class PlaceRecorder : public StepListener {
 public:
  explicit PlaceRecorder(ReservedStep& step) : step_(step) {}

  void starts(const CachingAllocator& allocator) override { allocator_ = &allocator; }

  void begins_slot(std::size_t slot) override {
    slot_ = slot;
    if (slot == 0) begin_step();
  }

  void allocated(std::optional<BufferId> buffer, MemoryBlockId block) override {
    const MemoryBlock& at = allocator_->block(block);
    open_[block] = {
        at.segment, at.address, at.bytes, at.requested_bytes, buffer.value_or(BufferId()),
        slot_,      slot_};
    if (reserved_ != allocator_->reserved_bytes()) hold(at.segment);
    reserved_ = allocator_->reserved_bytes();
  }

  void frees(std::optional<BufferId> /*buffer*/, MemoryBlockId block) override {
    const auto found = open_.find(block);
    if (found == open_.end()) return;
    close(found->second);
    open_.erase(found);
  }

  void ends() override {
    for (const auto& [block, placed] : open_) close(placed);
    open_.clear();
    std::ranges::sort(step_.blocks, {}, [](const ReservedStep::Placed& each) {
      return std::pair(each.address, each.first_slot);
    });
  }

 private:
  /// Forgets the earlier step, except for the blocks that are still there.
  void begin_step() {
    step_.blocks.clear();
    step_.held.clear();
    for (auto& [block, placed] : open_) placed.first_slot = 0;
    for (const MemorySegmentId each : allocator_->segments()) hold(each);
  }

  void close(ReservedStep::Placed placed) {
    placed.last_slot = slot_;
    step_.blocks.push_back(placed);
  }

  // Notes a segment from the current slot on. Without a memory limit, the allocator gives no memory
  // back, and a segment grows only when a block in it is allocated.
  void hold(MemorySegmentId id) {
    const MemorySegment& segment = allocator_->segment(id);
    step_.held.push_back({slot_, id, {segment.address, segment.reserved_bytes, segment.pool}});
  }

  ReservedStep& step_;
  const CachingAllocator* allocator_ = nullptr;
  std::map<MemoryBlockId, ReservedStep::Placed> open_;
  std::size_t slot_ = 0;
  std::int64_t reserved_ = 0;
};

/// Whether a block is there while the node in the slot runs.
bool is_there(const ReservedStep::Placed& block, std::size_t slot) {
  return block.first_slot <= slot && slot <= block.last_slot;
}

/// The segments that are held while the node in the slot runs, in the order of the map.
std::vector<std::pair<MemorySegmentId, MapSegment>> held_at(const ReservedStep& step,
                                                            std::size_t slot) {
  std::map<MemorySegmentId, MapSegment> latest;
  for (const ReservedStep::Held& each : step.held) {
    if (each.first_slot <= slot) latest[each.id] = each.segment;
  }
  std::vector<std::pair<MemorySegmentId, MapSegment>> held(latest.begin(), latest.end());
  std::ranges::sort(held, [](const auto& a, const auto& b) {
    return std::tuple(b.second.pool, a.second.address) <
           std::tuple(a.second.pool, b.second.address);
  });
  return held;
}

}  // namespace

std::int64_t AllocatorMap::free_bytes_of(std::size_t segment) const {
  std::int64_t bytes = segments[segment].bytes;
  for (const MapBlock& each : blocks_of(segment)) bytes -= each.bytes;
  return bytes;
}

FreeMemory free_memory(const AllocatorMap& map) {
  FreeMemory free;
  const auto add = [&](std::int64_t bytes) {
    free.bytes += bytes;
    free.largest_bytes = std::max(free.largest_bytes, bytes);
    free.pieces += bytes > 0 ? 1 : 0;
  };
  for (std::size_t segment = 0; segment < map.segments.size(); ++segment) {
    std::int64_t end = 0;
    for (const MapBlock& each : map.blocks_of(segment)) {
      add(each.offset - end);
      end = each.offset + each.bytes;
    }
    add(map.segments[segment].bytes - end);
  }
  return free;
}

ReservedStep reserved_step(const Study& study, const Variant& variant,
                           const AllocatorSettings& settings) {
  ReservedStep step;
  PlaceRecorder recorder(step);
  step.memory = reserved_memory(study.prepared->rules, variant.timeline, settings, &recorder);
  step.device = device_memory(study, variant.timeline, settings, usual_other_memory());
  return step;
}

AllocatorMap allocator_map_at(const ReservedStep& step, std::size_t slot) {
  AllocatorMap map;
  std::map<MemorySegmentId, std::uint32_t> index_of;
  for (const auto& [id, segment] : held_at(step, slot)) {
    index_of[id] = static_cast<std::uint32_t>(map.segments.size());
    map.segments.push_back(segment);
  }
  // Counts the blocks of each segment, then puts each block behind those of earlier segments.
  std::vector<std::size_t> next(map.segments.size() + 1, 0);
  std::vector<std::pair<std::uint32_t, const ReservedStep::Placed*>> there;
  for (const ReservedStep::Placed& each : step.blocks) {
    if (!is_there(each, slot)) continue;
    const std::uint32_t segment = index_of.at(each.segment);
    there.emplace_back(segment, &each);
    ++next[segment + 1];
  }
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  map.first_block = next;
  map.blocks.resize(there.size());
  for (const auto& [segment, each] : there) {
    map.blocks[next[segment]++] = {segment, each->address - map.segments[segment].address,
                                   each->bytes, each->requested_bytes, each->buffer};
  }
  return map;
}

}  // namespace stashscope
