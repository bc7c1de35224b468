#pragma once

#include <span>

#include "core/memory/step_memory.h"

namespace stashscope {

/// Computes peaks of many orders of one step. Gives the peak of make_timeline without building
/// buffers and live bytes. Holds references to its arguments. Not for captured steps, whose
/// storages may live longer than their last readers.
class StepPeak {
 public:
  /// Throws an input Error if the size of an optimizer state overflows 64 bits.
  StepPeak(const Dataflow& dataflow, const StepMemory& memory);
  StepPeak(const Dataflow& dataflow, StepMemory&& memory) = delete;

  /// The peak in bytes. @param order every node of the dataflow once, producers before readers
  std::int64_t of(std::span<const NodeId> order);

 private:
  /// The state of a value, and of its buffer if the value is the first one in the buffer.
  struct Place {
    std::int64_t bytes = 0;
    ValueId buffer;               ///< identified by the first value in it; invalid: not made yet
    std::uint32_t last_read = 0;  ///< slot; the value's own slot if nothing reads it
    std::uint32_t freed = 0;      ///< slot after which the buffer is freed
  };

  void find_last_reads(std::span<const NodeId> order);
  void make_outputs(NodeId node, std::uint32_t slot);
  void share_buffers(NodeId node, std::uint32_t slot);
  void join(ValueId value, ValueId buffer);
  bool can_take_over(NodeId node, ValueId input, std::uint32_t slot) const;
  void free_behind(NodeId node, std::uint32_t slot);
  std::int64_t workspace(NodeId node) const;

  const Dataflow& dataflow_;
  const StepMemory& memory_;
  IdVector<ValueId, Place> before_;  ///< before the step, when only persistent buffers exist
  IdVector<ValueId, Place> places_;
  std::int64_t persistent_ = 0;
  std::int64_t live_ = 0;
};

/// The peak in bytes: make_timeline(dataflow, memory, order).peak_bytes, but computed faster.
/// @pre no copy runs beside the nodes (`StepMemory::copies`)
std::int64_t peak_of(const Dataflow& dataflow, const StepMemory& memory,
                     std::span<const NodeId> order);

}  // namespace stashscope
