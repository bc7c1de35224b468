#pragma once

#include <cstdint>
#include <string_view>

namespace stashscope {

/// Reads an amount of a device's memory as `parse_bytes` does. Throws a usage Error for more than
/// 1 PiB, so that sums of such amounts fit 64 bits.
std::int64_t parse_device_bytes(std::string_view text);

}  // namespace stashscope
