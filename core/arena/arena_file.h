#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/arena/arena.h"

namespace stashscope {

/// The buffers of an arena as a CSV file has them, in the format of google/minimalloc: a header
/// that names the columns in any order, then a line for each buffer. The columns `id`, `lower`,
/// `upper` and `size` are needed. Some may have other names: `buffer` or `buffer_id` for `id`, and
/// `begin` or `start` for `lower`. A column `end` may replace `upper`. It has the last time in
/// which the buffer lives, `upper` - 1. Further columns are kept as they are.
struct ArenaFile {
  std::vector<ArenaBuffer> buffers;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  ///< the fields of each buffer
  std::optional<std::size_t> offset_column;
};

/// Reads the text of a file. Throws an input Error that names the line, but not the file, for a
/// text without a header, missing or repeated columns, a line with too few or too many fields, more
/// than 2^24 buffers, numbers that are invalid or too large (also in their sum), a buffer that
/// never lives, an id that is missing or given twice, or an alignment other than 1.
ArenaFile parse_arena(std::string_view text);

/// Reads a file as `parse_arena` reads a text. Errors name the file.
ArenaFile read_arena(const std::filesystem::path& path);

/// The placement in the column `offset`, if it has an offset for each buffer and is right.
std::optional<ArenaPlacement> placement_in(const ArenaFile& file);

/// The file with the offset of each buffer in the column `offset`, which is appended if it is
/// missing.
std::string arena_text(const ArenaFile& file, const std::vector<std::int64_t>& offsets);

}  // namespace stashscope
