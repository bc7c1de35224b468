#pragma once

#include <cstdint>

#include "core/study/choices/choices.h"

namespace stashscope {

/// Whether plans that keep these bytes on the host respect `TimeChoices::host_memory`.
inline bool keeps_host(const Choices& choices, std::int64_t host_bytes) {
  return host_bytes <= choices.times.host_memory.value_or(host_bytes);
}

}  // namespace stashscope
