#pragma once

#include <string>

#include "core/base/error.h"
#include "core/base/gzip.h"

namespace stashscope::app {

/// Reads a file, which may be compressed with gzip, and returns the result of `parse` for its text.
/// If `parse` throws an Error, adds the file's name to the Error.
template <class Parse>
auto parsed_file(const std::string& path, const Parse& parse) {
  constexpr std::int64_t most_bytes = std::int64_t{4} << 30;
  const std::string text = read_maybe_gzip(path, most_bytes);
  try {
    return parse(text);
  } catch (const Error& error) {
    throw error.within(printable(path));
  }
}

}  // namespace stashscope::app
