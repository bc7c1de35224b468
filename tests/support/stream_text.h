#pragma once

#include <string>

#include "core/process/file_bundle.h"

namespace stashscope::test {

/// All bytes that a bundle sends.
inline std::string stream_of(const FileBundle& bundle) {
  std::string stream;
  for (const std::string_view piece : bundle.pieces()) stream += piece;
  return stream;
}

}  // namespace stashscope::test
