#pragma once

#include <optional>
#include <span>

#include "core/memory/envelope.h"
#include "core/memory/timeline.h"

namespace stashscope {

/// One tensor in the stack of all live tensors. Its height is constant over its lifetime. It sinks
/// when a tensor below it is freed.
struct TensorBand {
  BufferId buffer;
  std::int64_t bytes = 0;
  std::uint32_t first_slot = 0;
  std::uint32_t last_slot = 0;
  bool persistent = false;  ///< live before and after the step
};

/// Position of a tensor in the stack at some slot.
struct StackedTensor {
  std::size_t band = 0;     ///< index into the bands
  std::int64_t bottom = 0;  ///< bytes of all tensors below it

  friend bool operator==(const StackedTensor&, const StackedTensor&) = default;
};

/// The memory of a step by tensor. Persistent tensors lie at the bottom, all other tensors lie
/// above them in the order in which they are made. Small tensors and workspace are merged into the
/// rest, which lies on top. Thus a stack is as high as the live bytes of its slot.
class TensorBands {
 public:
  TensorBands() = default;
  /// @param detail tensors smaller than 1 / detail of the peak are merged into the rest
  explicit TensorBands(const Timeline& timeline, std::int64_t detail = 1024);

  std::size_t steps() const { return live_bytes_.size(); }
  /// All bands, from the bottom of the stack to the top.
  const std::vector<TensorBand>& bands() const { return bands_; }
  /// Number of tensors in the rest.
  std::size_t merged() const { return merged_; }

  /// Bytes of all bands at a slot, without the rest on top of the stack.
  std::int64_t told_apart(std::size_t slot) const { return told_apart_[slot]; }
  std::int64_t live_bytes(std::size_t slot) const { return live_bytes_[slot]; }
  /// Bytes of merged tensors and workspace.
  std::int64_t rest_bytes(std::size_t slot) const { return live_bytes_[slot] - told_apart_[slot]; }

  std::vector<StackedTensor> stack(std::size_t slot) const;
  /// The tensor at a height of the stack; empty for heights in the rest or above the stack.
  std::optional<StackedTensor> at(std::size_t slot, std::int64_t bytes) const;

 private:
  friend class StackWalk;

  /// The first band at or after index `begin` that is alive at `slot` or later.
  std::size_t next_alive(std::size_t begin, std::size_t slot) const {
    return last_slots_.next_at_least(begin, static_cast<std::int64_t>(slot));
  }
  void add_up();

  std::vector<TensorBand> bands_;
  CurveExtremes last_slots_;  ///< by band
  std::vector<std::int64_t> told_apart_;
  std::vector<std::int64_t> live_bytes_;
  std::size_t merged_ = 0;
};

/// Computes the stacks of ascending slots faster than TensorBands::stack. Keeps a reference to the
/// TensorBands.
class StackWalk {
 public:
  explicit StackWalk(const TensorBands& bands) : bands_(bands) {}
  explicit StackWalk(TensorBands&& bands) = delete;

  /// The result is valid until the next call. @param slot at least the slot of the previous call
  std::span<const StackedTensor> at(std::size_t slot);

 private:
  const TensorBands& bands_;
  std::vector<StackedTensor> stack_;
  std::size_t next_ = 0;  ///< the first band not visited yet
};

}  // namespace stashscope
