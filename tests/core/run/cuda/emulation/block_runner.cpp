#include "block_runner.h"

#include <ucontext.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/graph/half.h"

namespace stashscope::testing_run {

namespace {

constexpr std::size_t stack_bytes = std::size_t{128} << 10;

// swapcontext() makes a system call each time; __builtin_setjmp() and __builtin_longjmp() only set
// registers. Two separate functions must call them. The sanitizers are off here, because they know
// only one stack.
[[noreturn, gnu::noinline, gnu::no_sanitize("address", "thread")]] void jump(void** place) {
  __builtin_longjmp(place, 1);
}

}  // namespace

struct BlockRunner::Fiber {
  std::unique_ptr<std::byte[]> stack{new std::byte[stack_bytes]};
  ucontext_t start{};
  bool started = false;
  Place place{};
  unsigned thread = 0;
  unsigned exchanges = 0;  ///< made by its thread
};

BlockRunner::BlockRunner() = default;
BlockRunner::~BlockRunner() = default;

void BlockRunner::run(std::uint32_t block_count, unsigned threads_per_block,
                      std::function<void()> body) {
  body_ = std::move(body);
  threads = {threads_per_block, 1, 1};
  warps_.resize((threads_per_block + warp_size - 1) / warp_size);
  for (std::uint32_t i = 0; i < block_count; ++i) {
    block = {i, 0, 0};
    run_block();
  }
}

void BlockRunner::run_block() {
  next_thread_ = 0;
  ended_ = 0;
  go_to(scheduler_, next_fiber());
  if (ended_ == threads.x && !uses_part_of_a_warp_) return;
  // No thread can continue: the waiting ones are abandoned with their stacks.
  fibers_.clear();
  idle_.clear();
  at_barrier_.clear();
  warps_.clear();
  if (std::exchange(uses_part_of_a_warp_, false)) {
    fail_run("", "a kernel exchanges values with a part of a warp only");
  }
  fail_run("", "threads of a kernel wait for others that never come");
}

[[gnu::noinline, gnu::no_sanitize("address", "thread")]] void BlockRunner::go_to(Place& from,
                                                                                 Fiber* fiber) {
  if (__builtin_setjmp(from.data()) != 0) return;
  current_ = fiber;
  if (fiber == nullptr) jump(scheduler_.data());
  if (fiber->started) jump(fiber->place.data());
  fiber->started = true;
  ::setcontext(&fiber->start);
}

BlockRunner::Fiber* BlockRunner::next_fiber() {
  if (!ready_.empty()) {
    Fiber* const fiber = ready_.back();
    ready_.pop_back();
    return fiber;
  }
  if (next_thread_ == threads.x || uses_part_of_a_warp_) return nullptr;
  if (!idle_.empty()) {
    Fiber* const fiber = idle_.back();
    idle_.pop_back();
    return fiber;
  }
  return &make_fiber();
}

BlockRunner::Fiber& BlockRunner::make_fiber() {
  fibers_.push_back(std::make_unique<Fiber>());
  Fiber& fiber = *fibers_.back();
  ::getcontext(&fiber.start);
  fiber.start.uc_stack.ss_sp = fiber.stack.get();
  fiber.start.uc_stack.ss_size = stack_bytes;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  ::makecontext(&fiber.start, reinterpret_cast<void (*)()>(enter), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
  return fiber;
}

[[gnu::no_sanitize("address", "thread")]] void BlockRunner::enter(unsigned high, unsigned low) {
  const auto self = static_cast<std::uintptr_t>(high) << 32 | low;
  reinterpret_cast<BlockRunner*>(self)->run_threads();
}

void BlockRunner::run_threads() {
  for (;;) {
    Fiber& fiber = *current_;
    while (next_thread_ < threads.x) {
      fiber.thread = next_thread_++;
      fiber.exchanges = 0;
      thread = {fiber.thread, 0, 0};
      body_();
      ++ended_;
    }
    idle_.push_back(&fiber);
    pause(fiber);
  }
}

void BlockRunner::pause(Fiber& fiber) {
  go_to(fiber.place, next_fiber());
  thread = {fiber.thread, 0, 0};
}

void BlockRunner::wait_in(std::vector<Fiber*>& waiting, std::size_t until) {
  Fiber& fiber = *current_;
  if (waiting.size() + 1 == until) {
    ready_.insert(ready_.end(), waiting.rbegin(), waiting.rend());
    waiting.clear();
    return;
  }
  waiting.push_back(&fiber);
  pause(fiber);
}

void BlockRunner::wait_for_block() { wait_in(at_barrier_, threads.x); }

void BlockRunner::wait_for_warp(unsigned mask) {
  check_mask(mask);
  const unsigned warp = warp_of(current_->thread);
  wait_in(warps_[warp].waiting, lanes_of(warp));
}

const std::byte* BlockRunner::exchange(unsigned mask, const void* value, std::size_t bytes) {
  const unsigned warp = warp_of(current_->thread);
  auto& values = warps_[warp].values[current_->exchanges++ % 2];
  std::memcpy(values.data() + current_->thread % warp_size * largest_exchanged, value, bytes);
  wait_for_warp(mask);
  return values.data();
}

unsigned BlockRunner::lanes_of(unsigned warp) const {
  return std::min(warp_size, threads.x - warp * warp_size);
}

void BlockRunner::check_mask(unsigned mask) {
  if (mask == 0xFFFFFFFFU) return;
  // Errors cannot pass through a kernel: this thread never continues.
  uses_part_of_a_warp_ = true;
  ready_.clear();
  go_to(current_->place, nullptr);
}

float BlockRunner::float_from_half(std::uint16_t half) const {
  return stashscope::float_from_half(half);
}
std::uint16_t BlockRunner::half_from_float(float value) const {
  return stashscope::half_from_float(value);
}

}  // namespace stashscope::testing_run
