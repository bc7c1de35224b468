#pragma once

#include <span>

#include "core/memory/step_memory.h"

namespace stashscope {

/// The peaks of a step in one order after another, for those who compare many: as make_timeline
/// counts them, without the buffers and steps that make them up. Refers to its arguments.
class StepPeak {
 public:
  /// Throws an input Error when an optimizer's state does not fit into 64 bits.
  StepPeak(const Dataflow& dataflow, const StepMemory& memory);
  StepPeak(const Dataflow& dataflow, StepMemory&& memory) = delete;

  /// Bytes. @param order every node of the dataflow once, producers before readers
  std::int64_t of(std::span<const NodeId> order);

 private:
  /// A value, and where it is the first one in its buffer, also that buffer.
  struct Place {
    std::int64_t bytes = 0;
    ValueId buffer;               ///< called by its first value; invalid: not made yet
    std::uint32_t last_read = 0;  ///< step, its own where nobody reads it
    std::uint32_t freed = 0;      ///< behind this step
  };

  void find_last_reads(std::span<const NodeId> order);
  void make_outputs(NodeId node, std::uint32_t step);
  void share_buffers(NodeId node, std::uint32_t step);
  void join(ValueId value, ValueId buffer);
  bool can_take_over(NodeId node, ValueId input, std::uint32_t step) const;
  void free_behind(NodeId node, std::uint32_t step);
  std::int64_t workspace(NodeId node) const;

  const Dataflow& dataflow_;
  const StepMemory& memory_;
  IdVector<ValueId, Place> before_;  ///< the step: nothing but what is there throughout
  IdVector<ValueId, Place> places_;
  std::int64_t resident_ = 0;
  std::int64_t live_ = 0;
};

/// The peak of one order. As make_timeline(dataflow, memory, order).peak_bytes, but faster.
std::int64_t peak_of(const Dataflow& dataflow, const StepMemory& memory,
                     std::span<const NodeId> order);

}  // namespace stashscope
