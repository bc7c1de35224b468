#pragma once

#include <cstdint>

namespace stashscope {

/// Bytes that this process can still allocate without swapping: the system's available memory or,
/// if it is less, the unused rest of a limited address space. A part of this rest is reserved for
/// libraries and does not count. 2^60 if the system tells neither.
std::int64_t available_memory();

/// Throws OutOfMemory, which names the needed and the available bytes, when `wanted` bytes are not
/// available.
void require_memory(std::int64_t wanted);

}  // namespace stashscope
