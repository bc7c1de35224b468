#pragma once

#include <cstddef>
#include <cstdint>

/// The services that kernels compiled for the CPU need from the runner of their threads. Both sides
/// are built by the same compiler.
class EmulatedThreads {
 public:
  struct Dim {
    unsigned x = 1;
    unsigned y = 1;
    unsigned z = 1;
  };
  static constexpr unsigned warp_size = 32;
  static constexpr std::size_t largest_exchanged = 16;  ///< bytes

  Dim thread{0, 0, 0};  ///< the running thread
  Dim block{0, 0, 0};   ///< its block
  Dim threads;          ///< of each block

  virtual void wait_for_block() = 0;
  /// Waits until all threads of the warp have given their values and returns these,
  /// `largest_exchanged` bytes apart.
  virtual const std::byte* exchange(unsigned mask, const void* value, std::size_t bytes) = 0;
  virtual float float_from_half(std::uint16_t half) const = 0;
  virtual std::uint16_t half_from_float(float value) const = 0;

 protected:
  ~EmulatedThreads() = default;
};
