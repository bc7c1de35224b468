#include "core/study/exports/step_snapshot.h"

#include <cmath>

#include "core/study/exports/buffer_places.h"
#include "core/study/exports/mapped_memory.h"
#include "core/study/exports/slot_times.h"
#include "core/study/reserved/reserved_memory.h"
#include "core/study/reserved/step_player.h"

namespace stashscope {

namespace {

/// Records what the player of a step allocates and frees. Each repetition of the step replaces the
/// record of the repetition before.
class StepRecorder : public StepListener {
 public:
  /// @param last_slot the recording ends when the node in this slot runs; not set: when the step
  /// ends
  StepRecorder(const Study& study, std::optional<std::size_t> last_slot)
      : places_(study, snapshot_.names),
        starts_(slot_starts(study, *study.current)),
        last_slot_(last_slot) {
    snapshot_.traces.emplace_back();
  }

  MemorySnapshot take() { return std::move(snapshot_); }

  void starts(const CachingAllocator& allocator) override { allocator_ = &allocator; }

  void begins_slot(std::size_t slot) override {
    slot_ = slot;
    if (slot > 0) return;
    snapshot_.traces[0].clear();
    snapshot_.segments.clear();
    has_ended_ = false;
  }

  void runs_slot(std::size_t slot) override {
    if (slot != last_slot_) return;
    end_recording();
  }

  void ends() override {
    if (!has_ended_) end_recording();
  }

  void allocated(std::optional<BufferId> buffer, MemoryBlockId block) override {
    add_changed_segments();
    const BufferPlaces::Place place = buffer ? places_.of(*buffer) : places_.of_workspace(slot_);
    if (holders_.size() <= block.index()) holders_.resize(block.index() + 1);
    holders_[block] = place;
    const MemoryBlock& made = allocator_->block(block);
    add("alloc", made.address, made.requested_bytes, stream_of(block), place);
  }

  void frees(std::optional<BufferId> buffer, MemoryBlockId block) override {
    const BufferPlaces::Place place = buffer ? places_.of(*buffer) : places_.of_workspace(slot_);
    const MemoryBlock& gone = allocator_->block(block);
    for (const char* const action : {"free_requested", "free_completed"}) {
      add(action, gone.address, gone.requested_bytes, stream_of(block), place);
    }
  }

 private:
  std::int64_t stream_of(MemoryBlockId block) const {
    return allocator_->segment(allocator_->block(block).segment).stream;
  }

  void add(const char* action, std::int64_t address, std::int64_t bytes, std::int64_t stream,
           const BufferPlaces::Place& place) {
    if (has_ended_) return;
    SnapshotEvent event;
    event.action = snapshot_.names.add_text(action);
    event.address = address;
    event.bytes = bytes;
    event.stream = stream;
    event.time = starts_.empty() ? 0 : std::llround(starts_[slot_] * 1e6);
    event.stack = place.stack;
    event.user_metadata = place.module;
    event.category = place.kind;
    snapshot_.traces[0].push_back(event);
  }

  void add_changed_segments() {
    const bool may_have_changed = allocator_->reserved_bytes() != reserved_ ||
                                  allocator_->retries() != retries_ ||
                                  allocator_->settings().garbage_collection_threshold > 0;
    if (!may_have_changed) return;
    reserved_ = allocator_->reserved_bytes();
    retries_ = allocator_->retries();
    std::vector<MappedMemory> memory = mapped_memory(*allocator_);
    add_segments(missing_in(memory, memory_), "segment_free", "segment_unmap");
    add_segments(missing_in(memory_, memory), "segment_alloc", "segment_map");
    memory_ = std::move(memory);
  }

  void add_segments(const std::vector<MappedMemory>& segments, const char* action,
                    const char* action_of_expandable) {
    const BufferPlaces::Place unknown = unknown_place();
    for (const MappedMemory& each : segments) {
      add(each.is_expandable ? action_of_expandable : action, each.address, each.bytes, each.stream,
          unknown);
    }
  }

  /// Adds the segments, and an event for the snapshot itself, as PyTorch does. The kind of this
  /// event is `unknown`, because PyTorch's viewer fails on a trace with kinds unless one of them is
  /// `unknown`.
  void end_recording() {
    for (const MappedMemory& each : mapped_memory(*allocator_)) {
      snapshot_.segments.push_back(segment_of(each));
    }
    add("snapshot", 0, allocator_->allocated_bytes(), 0, unknown_place());
    has_ended_ = true;
  }

  BufferPlaces::Place unknown_place() { return {{}, {}, snapshot_.names.add_text("unknown")}; }

  SnapshotSegment segment_of(const MappedMemory& memory) {
    SnapshotSegment segment{.address = memory.address,
                            .total_bytes = memory.bytes,
                            .stream = memory.stream,
                            .pool = memory.pool,
                            .is_expandable = memory.is_expandable};
    for (const MemoryBlockId id : memory.blocks) {
      const MemoryBlock& block = allocator_->block(id);
      const SnapshotTextId state =
          snapshot_.names.add_text(block.is_allocated ? allocated_state : inactive_state);
      segment.blocks.push_back({block.address, block.bytes, block.requested_bytes, state});
      if (!block.is_allocated) continue;
      segment.blocks.back().stack = holders_[id].stack;
      segment.blocks.back().user_metadata = holders_[id].module;
      segment.blocks.back().category = holders_[id].kind;
      segment.allocated_bytes += block.bytes;
      segment.active_bytes += block.bytes;
      segment.requested_bytes += block.requested_bytes;
    }
    return segment;
  }

  MemorySnapshot snapshot_;
  BufferPlaces places_;
  std::vector<double> starts_;  ///< seconds by slot
  std::optional<std::size_t> last_slot_;
  const CachingAllocator* allocator_ = nullptr;
  IdVector<MemoryBlockId, BufferPlaces::Place> holders_;  ///< place of the tensor in each block
  std::vector<MappedMemory> memory_;
  std::int64_t reserved_ = 0;
  std::int64_t retries_ = 0;
  std::size_t slot_ = 0;
  bool has_ended_ = false;
};

/// The settings in the form in which PyTorch records them.
SnapshotData recorded(const AllocatorSettings& settings) {
  return {
      SnapshotData::Dict{{"PYTORCH_CUDA_ALLOC_CONF", {to_string(settings)}},
                         {"max_split_size", {settings.max_split_bytes.value_or(-1)}},
                         {"garbage_collection_threshold", {settings.garbage_collection_threshold}},
                         {"expandable_segments", {settings.expandable_segments}}}};
}

}  // namespace

MemorySnapshot step_snapshot(const Study& study, const AllocatorSettings& settings,
                             SnapshotMoment moment) {
  const Timeline& timeline = study.current->timeline;
  StepRecorder recorder(
      study, moment == SnapshotMoment::peak ? std::optional(timeline.peak_slot) : std::nullopt);
  reserved_memory(study.prepared->rules, timeline, settings, &recorder);
  MemorySnapshot snapshot = recorder.take();
  snapshot.settings = recorded(settings);
  return snapshot;
}

}  // namespace stashscope
