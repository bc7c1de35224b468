#pragma once

// The CUDA C++ built-ins that the kernels use, for compiling them for the CPU. Atomic operations
// are excluded because their order differs from run to run.

#define STASHSCOPE_EMULATED

#include <math.h>

#include <cstring>
#include <utility>

#include "emulated_threads.h"

#define __global__
#define __device__
#define __launch_bounds__(threads)
#define __shared__ static
#define threadIdx (emulated_threads->thread)
#define blockIdx (emulated_threads->block)
#define blockDim (emulated_threads->threads)

extern "C" {
__attribute__((visibility("default"))) EmulatedThreads* emulated_threads = nullptr;
}

inline float emulated_float_from_half(unsigned short bits) {
  return emulated_threads->float_from_half(bits);
}
inline unsigned short emulated_half_from_float(float value) {
  return emulated_threads->half_from_float(value);
}

inline void __syncthreads() { emulated_threads->wait_for_block(); }

inline int emulated_lane() {
  return static_cast<int>(emulated_threads->thread.x % EmulatedThreads::warp_size);
}
/// The value of another lane, or the thread's own value if that lane does not exist.
template <class T>
T emulated_shuffle(unsigned mask, T value, int lane) {
  static_assert(sizeof(T) <= EmulatedThreads::largest_exchanged);
  const std::byte* values = emulated_threads->exchange(mask, &value, sizeof(T));
  if (lane < 0 || lane >= static_cast<int>(EmulatedThreads::warp_size)) return value;
  T result;
  std::memcpy(&result, values + lane * EmulatedThreads::largest_exchanged, sizeof(T));
  return result;
}
template <class T>
T __shfl_sync(unsigned mask, T value, int lane) {
  return emulated_shuffle(mask, value, lane % static_cast<int>(EmulatedThreads::warp_size));
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes) {
  return emulated_shuffle(mask, value, emulated_lane() ^ lanes);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned distance) {
  return emulated_shuffle(mask, value, emulated_lane() - static_cast<int>(distance));
}
/// A kernel's address and a call with operands from an array.
template <class... Operands, std::size_t... index>
void emulated_call(void (*kernel)(Operands...), void* const* operands,
                   std::index_sequence<index...>) {
  kernel(static_cast<Operands>(operands[index])...);
}
template <class... Operands>
void emulated_call(void (*kernel)(Operands...), void* const* operands) {
  emulated_call(kernel, operands, std::index_sequence_for<Operands...>());
}
template <class... Operands>
constexpr std::size_t emulated_parameters(void (*)(Operands...)) {
  return sizeof...(Operands);
}
#define EMULATED_ENTRY(name)                                                             \
  extern "C" {                                                                           \
  __attribute__((visibility("default"))) void call_##name(void* const* operands) {       \
    emulated_call(name, operands);                                                       \
  }                                                                                      \
  __attribute__((visibility("default"))) extern const std::size_t parameters_of_##name = \
      emulated_parameters(name);                                                         \
  }
