#include "core/study/reserved/allocator_advice.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/study/reserved/step_player.h"

namespace stashscope {

namespace {

/// The settings that are tried, as values of PYTORCH_CUDA_ALLOC_CONF. The first is the default.
constexpr std::string_view tried_settings[] = {
    "",
    "expandable_segments:True",
    "max_split_size_mb:32",
    "max_split_size_mb:64",
    "max_split_size_mb:128",
    "max_split_size_mb:256",
    "max_split_size_mb:512",
    "roundup_power2_divisions:2",
    "roundup_power2_divisions:4",
    "roundup_power2_divisions:8",
    "roundup_power2_divisions:16",
    "roundup_power2_divisions:32",
    "expandable_segments:True,roundup_power2_divisions:8",
    "expandable_segments:True,roundup_power2_divisions:16"};

constexpr std::size_t most_between = 3;

/// An allocation for which the allocator reserves memory.
struct ReservedGrowth {
  std::size_t slot = 0;
  std::optional<BufferId> buffer;  ///< not set: workspace of the node in the slot
  std::int64_t bytes = 0;
  std::int64_t grown_bytes = 0;
};

std::string name_in(const Study& study, const Variant& variant, const ReservedGrowth& growth) {
  if (growth.buffer) {
    return name_of(study.graph(), variant.dataflow, variant.timeline.buffers[*growth.buffer]);
  }
  const NodeId node = variant.timeline.order[growth.slot];
  return "the workspace of " + name_of(study.graph(), variant.dataflow, node);
}

/// A free piece of memory, largest first.
struct FreePiece {
  std::int64_t bytes = 0;
  MemoryBlockId block;
};

std::vector<FreePiece> free_pieces(const CachingAllocator& allocator, MemoryPool pool) {
  std::vector<FreePiece> pieces;
  for (const MemorySegmentId segment : allocator.segments()) {
    if (allocator.segment(segment).pool != pool) continue;
    for (const MemoryBlockId id : allocator.blocks_of(segment)) {
      if (!allocator.block(id).is_allocated) pieces.push_back({allocator.block(id).bytes, id});
    }
  }
  std::ranges::stable_sort(pieces, std::greater(), &FreePiece::bytes);
  return pieces;
}

/// Follows a step that is played with the default settings, and describes one of the allocations
/// for which memory is reserved.
class GrowthListener : public StepListener {
 public:
  /// @param described the number of that allocation, from 1; 0: none
  GrowthListener(const Study& study, const Variant& variant, std::size_t described)
      : study_(study), variant_(variant), described_(described) {}

  void starts(const CachingAllocator& allocator) override { allocator_ = &allocator; }

  void begins_slot(std::size_t slot) override { slot_ = slot; }

  void allocates(std::optional<BufferId> buffer, std::int64_t bytes) override {
    const std::int64_t grown = allocator_->choice_for(bytes, 0).segment_bytes;
    if (grown > 0 && ++growths_ == described_) growth_ = describe({slot_, buffer, bytes, grown});
  }

  void allocated(std::optional<BufferId> buffer, MemoryBlockId block) override {
    if (holders_.size() <= block.index()) holders_.resize(block.index() + 1);
    holders_[block] = buffer.value_or(BufferId());
  }

  void frees(std::optional<BufferId> /*buffer*/, MemoryBlockId block) override {
    holders_[block] = {};
  }

  std::size_t growths() const { return growths_; }
  const std::optional<LastGrowth>& growth() const { return growth_; }

 private:
  LastGrowth describe(const ReservedGrowth& growth) const {
    const MemoryPool pool = pool_for(growth.bytes, AllocatorSettings());
    const std::vector<FreePiece> pieces = free_pieces(*allocator_, pool);
    LastGrowth last{name_in(study_, variant_, growth),
                    growth.slot,
                    growth.bytes,
                    growth.grown_bytes,
                    0,
                    pieces.empty() ? 0 : pieces[0].bytes,
                    tensors_beside(pieces)};
    for (const FreePiece& piece : pieces) last.free_bytes += piece.bytes;
    return last;
  }

  /// The tensors beside the largest pieces, each once.
  std::vector<std::string> tensors_beside(const std::vector<FreePiece>& pieces) const {
    std::vector<std::string> names;
    for (const FreePiece& piece : pieces) {
      const MemoryBlock& block = allocator_->block(piece.block);
      for (const MemoryBlockId beside : {block.previous, block.next}) {
        if (names.size() == most_between) return names;
        const BufferId buffer = beside.valid() ? holder_of(beside) : BufferId();
        if (!buffer.valid()) continue;
        std::string name =
            name_of(study_.graph(), variant_.dataflow, variant_.timeline.buffers[buffer]);
        if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
      }
    }
    return names;
  }

  BufferId holder_of(MemoryBlockId block) const {
    return block.index() < holders_.size() ? holders_[block] : BufferId();
  }

  const Study& study_;
  const Variant& variant_;
  std::size_t described_ = 0;
  const CachingAllocator* allocator_ = nullptr;
  IdVector<MemoryBlockId, BufferId> holders_;  ///< the tensor in each block; invalid: none
  std::size_t slot_ = 0;
  std::size_t growths_ = 0;
  std::optional<LastGrowth> growth_;
};

ReservedMemory played(const Study& study, const Variant& variant, const AllocatorSettings& settings,
                      StepListener* listener = nullptr) {
  return reserved_memory(study.prepared->rules, variant.timeline, settings, listener);
}

}  // namespace

AllocatorAdvice allocator_advice(const Study& study, const Variant& variant) {
  AllocatorAdvice advice;
  GrowthListener counted(study, variant, 0);
  for (const std::string_view text : tried_settings) {
    const AllocatorSettings settings = parse_allocator_settings(text);
    const ReservedMemory memory =
        played(study, variant, settings, text.empty() ? &counted : nullptr);
    advice.trials.push_back({settings, memory.reserved_bytes, memory.fragmentation_bytes});
  }
  const auto best = std::ranges::min_element(advice.trials, {}, &AllocatorTrial::reserved_bytes);
  advice.best = static_cast<std::size_t>(best - advice.trials.begin());
  GrowthListener described(study, variant, counted.growths());
  played(study, variant, AllocatorSettings(), &described);
  advice.growth = described.growth();
  return advice;
}

std::string reason_text(const AllocatorAdvice& advice) {
  if (!advice.growth) return "The step reserves no memory.";
  const LastGrowth& growth = *advice.growth;
  std::string text = "With the default settings, memory is reserved for the last time for " +
                     printable(growth.tensor) + " (" + with_thousands(growth.bytes) + " B): ";
  if (growth.free_bytes < growth.bytes) {
    return text + "only " + with_thousands(growth.free_bytes) + " B are free then.";
  }
  text += with_thousands(growth.free_bytes) + " B are free then, but the largest piece has " +
          with_thousands(growth.largest_free_bytes) + " B.";
  if (growth.between.empty()) return text;
  std::vector<std::string> names;
  for (const std::string& name : growth.between) names.push_back(printable(name));
  return text + " Beside the largest pieces lie " + join(names, ", ") + ".";
}

}  // namespace stashscope
