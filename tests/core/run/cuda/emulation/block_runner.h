#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "emulated_threads.h"

namespace stashscope::testing_run {

/// Runs the blocks of a kernel one after the other. The threads of a block take turns on this
/// thread of the CPU: each runs until it waits or ends. Threads that never wait run as a loop.
class BlockRunner : public EmulatedThreads {
 public:
  BlockRunner();
  ~BlockRunner();
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  /// Throws a run Error when threads wait for others that have ended or wait elsewhere.
  void run(std::uint32_t block_count, unsigned threads_per_block, std::function<void()> body);

  void wait_for_block() override;
  const std::byte* exchange(unsigned mask, const void* value, std::size_t bytes) override;
  float float_from_half(std::uint16_t half) const override;
  std::uint16_t half_from_float(float value) const override;

 private:
  struct Fiber;
  /// The point at which a stack continues.
  using Place = std::array<void*, 5>;
  struct Warp {
    std::vector<Fiber*> waiting;
    /// Two buffers, so that the next exchange does not overwrite what a lane has yet to read.
    std::array<std::array<std::byte, warp_size * largest_exchanged>, 2> values;
  };

  static void enter(unsigned high, unsigned low);
  [[noreturn]] void run_threads();
  void run_block();
  void wait_in(std::vector<Fiber*>& waiting, std::size_t until);
  void wait_for_warp(unsigned mask);
  /// Lets other fibers run; returns when it is this fiber's turn again.
  void pause(Fiber& fiber);
  Fiber* next_fiber();
  Fiber& make_fiber();
  void go_to(Place& from, Fiber* fiber);
  unsigned warp_of(unsigned thread_number) const { return thread_number / warp_size; }
  unsigned lanes_of(unsigned warp) const;
  void check_mask(unsigned mask);

  std::function<void()> body_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  std::vector<Fiber*> ready_;
  std::vector<Fiber*> at_barrier_;
  std::vector<Warp> warps_;
  Fiber* current_ = nullptr;
  unsigned next_thread_ = 0;
  unsigned ended_ = 0;
  bool uses_part_of_a_warp_ = false;
  Place scheduler_{};
};

}  // namespace stashscope::testing_run
