#include "core/study/arena/step_arena.h"

#include <algorithm>
#include <utility>

#include "core/study/step/total_bytes.h"

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
  check_total_bytes(arena.pieces, most_arena_bytes, "the arena of the step");
  arena.persistent_bytes = persistent_bytes(variant.timeline);
  const std::vector<ArenaBuffer> buffers = arena_buffers(arena);
  const ArenaResult result = find_placement(buffers, {}, limit, progress);
  require_right(buffers, result.placement, "the arena of the step", "the model");
  for (std::size_t i = 0; i < arena.pieces.size(); ++i) {
    arena.pieces[i].offset = result.placement.offsets[i];
  }
  arena.capacity_bytes = result.placement.capacity;
  arena.load_bound_bytes = result.load_bound;
  arena.lower_bound_bytes = result.lower_bound;
  return arena;
}

SearchLimit arena_limit(const SearchLimit& asked, bool has_seconds) {
  SearchLimit limit = asked;
  if (!has_seconds) limit.seconds = 0;
  if (limit.seconds == 0 && limit.moves == 0) limit.moves = usual_arena_limit.moves;
  return limit;
}

FoundArena found_arena(const Variant& variant, const SearchLimit& limit, const Progress& progress) {
  try {
    return {step_arena(variant, limit, progress), {}};
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    return {{}, error};
  }
}

StepArenas step_arenas(const Study& study, const SearchLimit& limit, const Progress& progress) {
  FoundArena baseline = found_arena(*study.baseline, limit, progress);
  if (pieces_of(*study.baseline) != pieces_of(*study.current)) {
    return {std::move(baseline), found_arena(*study.current, limit, progress)};
  }
  FoundArena current = baseline;
  if (current.arena) {
    current.arena->persistent_bytes = persistent_bytes(study.current->timeline);
  }
  return {std::move(baseline), std::move(current)};
}

double arena_ratio(const StepArena& arena) {
  return arena_ratio(arena.capacity_bytes, arena.load_bound_bytes);
}

std::string piece_name(const Study& study, const Variant& variant, const ArenaPiece& piece) {
  if (piece.buffer.valid()) {
    return name_of(study.graph(), variant.dataflow, variant.timeline.buffers[piece.buffer]);
  }
  return name_of(study.graph(), variant.dataflow, variant.timeline.order[piece.first_slot]) +
         " workspace";
}

}  // namespace stashscope
