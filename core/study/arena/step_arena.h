#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/arena/arena_search.h"
#include "core/base/error.h"
#include "core/study/step/study.h"

namespace stashscope {

/// A tensor, or the workspace of a node, in the arena of a step. Offset and size are in bytes. The
/// piece is there while the nodes in the slots [first_slot, last_slot] run.
struct ArenaPiece {
  BufferId buffer;  ///< invalid: workspace of the node in `first_slot`
  std::uint32_t first_slot = 0;
  std::uint32_t last_slot = 0;
  std::int64_t bytes = 0;
  std::int64_t offset = 0;

  friend bool operator==(const ArenaPiece&, const ArenaPiece&) = default;
};

/// Whether a piece is there while the node in a slot runs.
inline bool is_there(const ArenaPiece& piece, std::size_t slot) {
  return piece.first_slot <= slot && slot <= piece.last_slot;
}

/// A static arena: one block of memory in which everything that a step allocates has a fixed
/// offset.
///
/// The arena holds the buffers of the timeline that are not persistent, including those that
/// outlive the step, and one buffer for the workspace of each node. It does not hold persistent
/// buffers (inputs, parameters, constants, optimizer states), buffers without bytes or, as in the
/// timeline, tensors on the host. ONNX Runtime's memory pattern also leaves out parameters and
/// inputs.
struct StepArena {
  std::vector<ArenaPiece> pieces;  ///< by first slot; tensors before the workspace of the slot
  std::int64_t capacity_bytes = 0;
  /// The largest sum of the bytes of all pieces that are there in the same slot: the peak of the
  /// timeline less the persistent bytes.
  std::int64_t load_bound_bytes = 0;
  std::int64_t lower_bound_bytes = 0;  ///< proven: no arena is smaller; at least the load bound
  std::int64_t persistent_bytes = 0;   ///< outside of the arena

  friend bool operator==(const StepArena&, const StepArena&) = default;
};

/// A limit of moves, so that the same step has the same arena on every machine.
inline constexpr SearchLimit usual_arena_limit{.seconds = 0, .moves = 100'000};

/// The arena of a variant, as small as the search finds it within the limit. Throws a `cancelled`
/// Error, and an input Error for tensors of more than `most_arena_bytes` in all.
StepArena step_arena(const Variant& variant, const SearchLimit& limit, const Progress& progress);

/// The limit of searches for arenas, derived from `asked`, the limit of searches for plans. Seconds
/// that the user did not choose are left out. If no limit remains, the usual limit of moves holds.
/// @param has_seconds whether the user chose the seconds of `asked`
SearchLimit arena_limit(const SearchLimit& asked, bool has_seconds);

/// The arena of a variant, or why it has none. Both are empty if no arena was searched for.
struct FoundArena {
  std::optional<StepArena> arena;
  std::optional<Error> failure;
};

/// The arenas of both variants of a step.
struct StepArenas {
  FoundArena baseline;
  FoundArena current;
};

/// Like step_arena, but only a `cancelled` Error is thrown.
FoundArena found_arena(const Variant& variant, const SearchLimit& limit, const Progress& progress);

/// The arenas of both variants. If both have the same pieces, as without plans, one search serves
/// both. Throws a `cancelled` Error.
StepArenas step_arenas(const Study& study, const SearchLimit& limit, const Progress& progress);

/// The pieces as buffers of core/arena. Their times are slots.
std::vector<ArenaBuffer> arena_buffers(const StepArena& arena);
std::vector<std::int64_t> arena_offsets(const StepArena& arena);

/// Capacity divided by load bound; 1 for an empty arena.
double arena_ratio(const StepArena& arena);

/// The name of a tensor; for a workspace, the name of its node and the word `workspace`.
/// @param variant the variant of the study's step that the arena belongs to
std::string piece_name(const Study& study, const Variant& variant, const ArenaPiece& piece);

}  // namespace stashscope
