#pragma once

#include <optional>
#include <span>

#include "core/memory/envelope.h"
#include "core/memory/timeline.h"

namespace stashscope {

/// One tensor in a stack of all that are alive. It keeps its height for as long as it lives, and
/// sinks when one below it is freed.
struct TensorBand {
  BufferId buffer;
  std::int64_t bytes = 0;
  std::uint32_t first_slot = 0;
  std::uint32_t last_slot = 0;
  bool persistent = false;  ///< there before and after the step
};

/// Where a tensor lies in the stack at some step.
struct StackedTensor {
  std::size_t band = 0;     ///< index into the bands
  std::int64_t bottom = 0;  ///< bytes of all below it

  friend bool operator==(const StackedTensor&, const StackedTensor&) = default;
};

/// The memory of a step tensor by tensor: what is there throughout lies at the ground, the others
/// above it in the order in which they are made. Tensors that are too small to be told apart are
/// one band, the rest, on top of all others; so every stack is as high as the step's live bytes.
class TensorBands {
 public:
  TensorBands() = default;
  /// @param detail tensors below 1 / detail of the peak are part of the rest
  explicit TensorBands(const Timeline& timeline, std::int64_t detail = 1024);

  std::size_t steps() const { return live_bytes_.size(); }
  /// In the order of the stack, from the ground up.
  const std::vector<TensorBand>& bands() const { return bands_; }
  /// How many tensors the rest stands for.
  std::size_t merged() const { return merged_; }

  /// Bytes of all bands at a step: what lies above is the rest.
  std::int64_t told_apart(std::size_t step) const { return told_apart_[step]; }
  std::int64_t live_bytes(std::size_t step) const { return live_bytes_[step]; }
  /// What merged tensors and workspace take.
  std::int64_t rest_bytes(std::size_t step) const { return live_bytes_[step] - told_apart_[step]; }

  std::vector<StackedTensor> stack(std::size_t step) const;
  /// The tensor that lies at a height of the stack; none in the rest and beyond the stack.
  std::optional<StackedTensor> at(std::size_t step, std::int64_t bytes) const;

 private:
  friend class StackWalk;

  /// The first band at or behind `begin` that lives at the step or after it.
  std::size_t next_alive(std::size_t begin, std::size_t step) const {
    return last_steps_.next_at_least(begin, static_cast<std::int64_t>(step));
  }
  void add_up();

  std::vector<TensorBand> bands_;
  CurveExtremes last_steps_;  ///< by band
  std::vector<std::int64_t> told_apart_;
  std::vector<std::int64_t> live_bytes_;
  std::size_t merged_ = 0;
};

/// The stacks of ever later steps; cheaper than one by one. Refers to its bands.
class StackWalk {
 public:
  explicit StackWalk(const TensorBands& bands) : bands_(bands) {}
  explicit StackWalk(TensorBands&& bands) = delete;

  /// Good until the next call. @param step not before that of the last call
  std::span<const StackedTensor> at(std::size_t step);

 private:
  const TensorBands& bands_;
  std::vector<StackedTensor> stack_;
  std::size_t next_ = 0;  ///< the first band that was not looked at
};

}  // namespace stashscope
