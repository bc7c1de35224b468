#include "core/base/device_bytes.h"

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

std::int64_t parse_device_bytes(std::string_view text) {
  const std::int64_t bytes = parse_bytes(text);
  if (bytes > std::int64_t{1} << 50) {
    fail_usage(printable(std::string(text)), "is more than 1 PiB", "give a smaller size");
  }
  return bytes;
}

}  // namespace stashscope
