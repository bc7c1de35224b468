#pragma once

// What CUDA C++ has built in, for kernels that are compiled for the processor.

#define STASHSCOPE_EMULATED

#include <math.h>

#include <cstring>
#include <utility>

#include "emulated_threads.h"

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(threads)
#define __shared__ static
#define threadIdx (emulated_threads->thread)
#define blockIdx (emulated_threads->block)
#define blockDim (emulated_threads->threads)
#define gridDim (emulated_threads->blocks)

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
inline void __syncwarp(unsigned mask = 0xFFFFFFFFU) { emulated_threads->wait_for_warp(mask); }

inline int emulated_lane() {
  return static_cast<int>(emulated_threads->thread.x % EmulatedThreads::warp_size);
}
/// The value of another lane; the own one where there is no such.
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
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance) {
  return emulated_shuffle(mask, value, emulated_lane() + static_cast<int>(distance));
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  const unsigned own = predicate != 0 ? 1U : 0U;
  const std::byte* values = emulated_threads->exchange(mask, &own, sizeof(own));
  unsigned result = 0;
  const unsigned first =
      emulated_threads->thread.x / EmulatedThreads::warp_size * EmulatedThreads::warp_size;
  for (unsigned lane = 0; lane < EmulatedThreads::warp_size; ++lane) {
    if (first + lane >= emulated_threads->threads.x) break;
    unsigned flag;
    std::memcpy(&flag, values + lane * EmulatedThreads::largest_exchanged, sizeof(flag));
    result |= flag << lane;
  }
  return result;
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate == 0) == 0;
}

// One thread runs at a time.
template <class T, class U>
T atomicAdd(T* to, U value) {
  const T before = *to;
  *to = static_cast<T>(before + static_cast<T>(value));
  return before;
}
template <class T, class U>
T atomicMax(T* to, U value) {
  const T before = *to;
  if (before < static_cast<T>(value)) *to = static_cast<T>(value);
  return before;
}
template <class T, class U>
T atomicMin(T* to, U value) {
  const T before = *to;
  if (static_cast<T>(value) < before) *to = static_cast<T>(value);
  return before;
}
template <class T, class U>
T atomicOr(T* to, U value) {
  const T before = *to;
  *to = static_cast<T>(before | static_cast<T>(value));
  return before;
}
template <class T>
T atomicExch(T* to, T value) {
  const T before = *to;
  *to = value;
  return before;
}
template <class T>
T atomicCAS(T* to, T compare, T value) {
  const T before = *to;
  if (before == compare) *to = value;
  return before;
}
inline void __threadfence() {}

template <class T>
T __ldg(const T* from) {
  return *from;
}
inline float rsqrtf(float x) { return 1 / sqrtf(x); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); }
inline int __float_as_int(float value) { return __builtin_bit_cast(int, value); }
inline float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
inline unsigned __float_as_uint(float value) { return __builtin_bit_cast(unsigned, value); }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
inline int __clz(int bits) { return bits == 0 ? 32 : __builtin_clz(static_cast<unsigned>(bits)); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
template <class T>
T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T max(T a, T b) {
  return a < b ? b : a;
}

/// A kernel's address and how to call it with operands that stand in an array.
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
