#include "core/study/reserved/step_advice.h"

#include "core/study/reserved/reserved_memory.h"
#include "core/study/reserved/step_player.h"

namespace stashscope {

namespace {

/// Tells a watch what a step allocates. The id of a tensor is the index of its buffer in the
/// timeline; workspaces have no id.
class WatchListener : public StepListener {
 public:
  explicit WatchListener(GrowthWatch& watch) : watch_(watch) {}

  void starts(const CachingAllocator& allocator) override { allocator_ = &allocator; }
  void begins_slot(std::size_t slot) override { slot_ = slot; }
  void allocates(std::optional<BufferId> buffer, std::int64_t bytes) override {
    if (watch_.allocates(*allocator_, tensor_of(buffer), bytes)) described_slot_ = slot_;
  }
  void allocated(std::optional<BufferId> buffer, MemoryBlockId block) override {
    watch_.allocated(block, tensor_of(buffer));
  }
  void frees(std::optional<BufferId> /*buffer*/, MemoryBlockId block) override {
    watch_.frees(block);
  }

  /// The slot of the growth that the watch describes.
  std::size_t described_slot() const { return described_slot_; }

 private:
  static PlacedTensorId tensor_of(std::optional<BufferId> buffer) {
    return buffer ? PlacedTensorId(buffer->index()) : PlacedTensorId();
  }

  GrowthWatch& watch_;
  const CachingAllocator* allocator_ = nullptr;
  std::size_t slot_ = 0;
  std::size_t described_slot_ = 0;
};

}  // namespace

AllocatorAdvice allocator_advice(const Study& study, const Variant& variant,
                                 const std::optional<AllocatorSettings>& present) {
  const Timeline& timeline = variant.timeline;
  std::size_t slot = 0;
  const auto play = [&](const AllocatorSettings& settings, GrowthWatch* watch) {
    std::optional<WatchListener> listener;
    if (watch != nullptr) listener.emplace(*watch);
    const ReservedMemory memory =
        reserved_memory(study.prepared->rules, timeline, settings, listener ? &*listener : nullptr);
    if (listener) slot = listener->described_slot();
    return AllocatorTrial{settings, memory.reserved_bytes, memory.fragmentation_bytes};
  };
  const auto name = [&](PlacedTensorId tensor) {
    if (tensor.valid()) {
      const Buffer& buffer = timeline.buffers[BufferId(tensor.index())];
      return name_of(study.graph(), variant.dataflow, buffer);
    }
    const NodeId node = timeline.order[slot];
    return "the workspace of " + name_of(study.graph(), variant.dataflow, node);
  };
  return try_settings(play, name, present);
}

}  // namespace stashscope
