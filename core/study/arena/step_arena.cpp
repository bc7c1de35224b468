#include "core/study/arena/step_arena.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

/// The tensors and workspaces of a step, without offsets.
std::vector<ArenaPiece> pieces_of(const Variant& variant) {
  const Timeline& timeline = variant.timeline;
  std::vector<ArenaPiece> pieces;
  for (const BufferId id : IdRange<BufferId>(timeline.buffers.size())) {
    const Buffer& buffer = timeline.buffers[id];
    if (buffer.persistent || buffer.bytes == 0) continue;
    pieces.push_back({id, buffer.first_slot, buffer.last_slot, buffer.bytes});
  }
  for (std::uint32_t slot = 0; slot < variant.bands.size(); ++slot) {
    const std::int64_t bytes = of(variant.bands[slot], Band::workspace);
    if (bytes > 0) pieces.push_back({BufferId(), slot, slot, bytes});
  }
  std::ranges::stable_sort(pieces, {}, &ArenaPiece::first_slot);
  return pieces;
}

void check_size(const std::vector<ArenaPiece>& pieces) {
  std::int64_t left = most_arena_bytes;
  for (const ArenaPiece& each : pieces) {
    if (each.bytes > left) {
      fail_input("the arena of the step",
                 "has tensors of more than " + format_bytes(most_arena_bytes) + " in all",
                 "choose smaller dimensions");
    }
    left -= each.bytes;
  }
}

/// The search is checked each time: a placement that overlaps would be used as it is.
void check_placement(const std::vector<ArenaBuffer>& buffers, const ArenaPlacement& placement) {
  const auto fault = find_fault(buffers, placement);
  if (!fault) return;
  fail_run("the arena of the step", "is wrong at buffer " + std::to_string(fault->buffer + 1),
           "please report this with the model");
}

}  // namespace

std::vector<ArenaBuffer> arena_buffers(const StepArena& arena) {
  std::vector<ArenaBuffer> buffers;
  buffers.reserve(arena.pieces.size());
  for (const ArenaPiece& each : arena.pieces) {
    buffers.push_back({each.first_slot, std::int64_t{each.last_slot} + 1, each.bytes});
  }
  return buffers;
}

std::vector<std::int64_t> arena_offsets(const StepArena& arena) {
  std::vector<std::int64_t> offsets;
  offsets.reserve(arena.pieces.size());
  for (const ArenaPiece& each : arena.pieces) offsets.push_back(each.offset);
  return offsets;
}

StepArena step_arena(const Variant& variant, const SearchLimit& limit, const Progress& progress) {
  StepArena arena;
  arena.pieces = pieces_of(variant);
  check_size(arena.pieces);
  arena.persistent_bytes = persistent_bytes(variant.timeline);
  const std::vector<ArenaBuffer> buffers = arena_buffers(arena);
  const ArenaResult result = find_placement(buffers, {}, limit, progress);
  check_placement(buffers, result.placement);
  for (std::size_t i = 0; i < arena.pieces.size(); ++i) {
    arena.pieces[i].offset = result.placement.offsets[i];
  }
  arena.capacity_bytes = result.placement.capacity;
  arena.load_bound_bytes = result.load_bound;
  arena.lower_bound_bytes = result.lower_bound;
  return arena;
}

double arena_ratio(const StepArena& arena) {
  if (arena.load_bound_bytes == 0) return 1;
  return static_cast<double>(arena.capacity_bytes) / static_cast<double>(arena.load_bound_bytes);
}

std::string piece_name(const Study& study, const Variant& variant, const ArenaPiece& piece) {
  if (piece.buffer.valid()) {
    return name_of(study.graph(), variant.dataflow, variant.timeline.buffers[piece.buffer]);
  }
  return name_of(study.graph(), variant.dataflow, variant.timeline.order[piece.first_slot]) +
         " workspace";
}

}  // namespace stashscope
