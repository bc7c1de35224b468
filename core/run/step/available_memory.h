#pragma once

#include <cstdint>

namespace stashscope {

/// Bytes that this process can still allocate without swapping: the system's available memory, or
/// what is left of a limited address space if that is less. A part of a limited address space is
/// reserved for libraries.
std::int64_t available_memory();

/// Throws OutOfMemory, which names the needed and the available bytes, when `wanted` bytes are not
/// available.
void require_memory(std::int64_t wanted);

}  // namespace stashscope
