#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stashscope {

/// A buffer of a static arena. It keeps its bytes at one offset while it lives, in the half-open
/// time [lower, upper). Bytes are at least 0, `lower` is below `upper`, and the bytes of all
/// buffers of an arena together are at most `most_arena_bytes`.
struct ArenaBuffer {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  std::int64_t bytes = 0;

  friend bool operator==(const ArenaBuffer&, const ArenaBuffer&) = default;
};

/// The most bytes that all buffers of an arena may have together.
inline constexpr std::int64_t most_arena_bytes = std::int64_t{1} << 62;

/// Where the buffers lie: the offset of each in bytes, and the bytes of the arena that holds them.
struct ArenaPlacement {
  std::vector<std::int64_t> offsets;
  std::int64_t capacity = 0;

  friend bool operator==(const ArenaPlacement&, const ArenaPlacement&) = default;
};

/// The largest sum of bytes that live at the same time. No placement has a smaller capacity.
std::int64_t load_bound(const std::vector<ArenaBuffer>& buffers);

/// The smallest arena that holds buffers at these offsets, in bytes.
std::int64_t capacity_of(const std::vector<ArenaBuffer>& buffers,
                         const std::vector<std::int64_t>& offsets);

/// A buffer that lies wrong. It shares bytes with `other`, which lives at the same time. If `other`
/// is not set, the buffer is not within the arena.
struct ArenaFault {
  std::size_t buffer = 0;
  std::optional<std::size_t> other;

  friend bool operator==(const ArenaFault&, const ArenaFault&) = default;
};

/// The first fault of a placement; none if the placement is right. A buffer outside the arena is
/// found first, then, in the order of time, two live buffers that share bytes. Takes n log n steps.
/// Unlike the searches, uses no sections (sections.h), so that a fault in these is found, too.
/// @pre one offset for each buffer
std::optional<ArenaFault> find_fault(const std::vector<ArenaBuffer>& buffers,
                                     const ArenaPlacement& placement);

/// Throws a run Error if a placement that a search made has a fault. Callers check the result of
/// each search, because a wrong placement would otherwise be used unnoticed.
/// @param where what the Error names
/// @param input what the user should attach to a report of the fault, such as `the model`
void require_right(const std::vector<ArenaBuffer>& buffers, const ArenaPlacement& placement,
                   const std::string& where, const std::string& input);

/// Capacity divided by load bound; 1 for an empty arena.
double arena_ratio(std::int64_t capacity, std::int64_t load_bound);

}  // namespace stashscope
