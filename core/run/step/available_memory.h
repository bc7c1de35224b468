#pragma once

#include <cstdint>

namespace stashscope {

/// Bytes that this process can still take without swapping: what the system has to spare, and less
/// where the address space is limited.
std::int64_t available_memory();

/// Throws OutOfMemory that names both sizes when `wanted` bytes are not available.
void require_memory(std::int64_t wanted);

}  // namespace stashscope
