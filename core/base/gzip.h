#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace stashscope {

/// The contents of a file; if the file is compressed with gzip, its uncompressed contents. Throws
/// an input Error if the file cannot be read or is damaged, or if these contents exceed
/// `most_bytes`.
std::string read_maybe_gzip(const std::filesystem::path& path, std::int64_t most_bytes);

}  // namespace stashscope
