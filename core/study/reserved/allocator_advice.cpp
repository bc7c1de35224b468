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

constexpr int played_steps = 2;
constexpr std::size_t most_between = 3;

/// The first steps with these settings; `on_growth` is called for each growth.
class PlayedSteps {
 public:
  PlayedSteps(const Study& study, const Variant& variant, StepPlayer::OnGrowth on_growth)
      : player_(study.prepared->rules, variant.timeline, AllocatorSettings(),
                std::move(on_growth)) {}

  void play() {
    player_.begin_steps();
    std::vector<std::int64_t> reserved;
    for (int step = 0; step < played_steps; ++step) player_.run_step(reserved);
  }

  const StepPlayer& player() const { return player_; }

 private:
  StepPlayer player_;
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

/// The tensors beside the largest pieces, each once.
std::vector<std::string> tensors_beside(const Study& study, const Variant& variant,
                                        const StepPlayer& player,
                                        const std::vector<FreePiece>& pieces) {
  std::vector<std::string> names;
  for (const FreePiece& piece : pieces) {
    const MemoryBlock& block = player.allocator().block(piece.block);
    for (const MemoryBlockId beside : {block.previous, block.next}) {
      if (names.size() == most_between) return names;
      const BufferId buffer = beside.valid() ? player.buffer_in(beside) : BufferId();
      if (!buffer.valid()) continue;
      std::string name = name_of(study.graph(), variant.dataflow, variant.timeline.buffers[buffer]);
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
  }
  return names;
}

LastGrowth describe(const Study& study, const Variant& variant, const StepPlayer& player,
                    const ReservedGrowth& growth) {
  const MemoryPool pool = pool_for(growth.bytes, AllocatorSettings());
  const std::vector<FreePiece> pieces = free_pieces(player.allocator(), pool);
  LastGrowth last{name_in(study, variant, growth),
                  growth.slot,
                  growth.bytes,
                  growth.grown_bytes,
                  0,
                  pieces.empty() ? 0 : pieces[0].bytes,
                  tensors_beside(study, variant, player, pieces)};
  for (const FreePiece& piece : pieces) last.free_bytes += piece.bytes;
  return last;
}

std::optional<LastGrowth> last_growth(const Study& study, const Variant& variant) {
  std::size_t growths = 0;
  PlayedSteps(study, variant, [&](const ReservedGrowth&) { ++growths; }).play();
  std::optional<LastGrowth> last;
  std::size_t seen = 0;
  const PlayedSteps* played = nullptr;
  PlayedSteps again(study, variant, [&](const ReservedGrowth& growth) {
    if (++seen == growths) last = describe(study, variant, played->player(), growth);
  });
  played = &again;
  again.play();
  return last;
}

}  // namespace

AllocatorAdvice allocator_advice(const Study& study, const Variant& variant) {
  AllocatorAdvice advice;
  for (const std::string_view text : tried_settings) {
    const AllocatorSettings settings = parse_allocator_settings(text);
    const ReservedMemory memory = reserved_memory(study, variant, settings);
    advice.trials.push_back({settings, memory.reserved_bytes, memory.fragmentation_bytes});
  }
  const auto best = std::ranges::min_element(advice.trials, {}, &AllocatorTrial::reserved_bytes);
  advice.best = static_cast<std::size_t>(best - advice.trials.begin());
  advice.growth = last_growth(study, variant);
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
