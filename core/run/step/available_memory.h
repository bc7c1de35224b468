#pragma once

#include <cstdint>

namespace stashscope {

/// Bytes that this process can still allocate without swapping: the system's available memory, or
/// less where the address space is limited. A limited address space also has to hold what libraries
/// take.
std::int64_t available_memory();

/// Throws OutOfMemory, which names both sizes, when `wanted` bytes are not available.
void require_memory(std::int64_t wanted);

}  // namespace stashscope
