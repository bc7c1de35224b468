#pragma once

namespace stashscope::test {

/// Whether the compiler adds the address or the thread sanitizer. Both reserve terabytes of address
/// space, and keep shadow memory beside what the program allocates.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

}  // namespace stashscope::test
