#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "core/ops/rules/recurrent.h"
#include "core/run/cpu/primitives/shared_names.h"

namespace stashscope::cpu {

/// The sizes of a recurrent operator's operands, and their order in memory. The comments of
/// CellOperand state the operands' shapes.
struct SequenceShape {
  std::int64_t steps = 0;
  std::int64_t batch = 0;
  std::int64_t input = 0;
  std::int64_t hidden = 0;
  std::int64_t gates = 1;
  std::int64_t directions = 1;
  bool batch_first = false;
  bool starts_reversed = false;
  std::vector<std::int64_t> lengths;  ///< steps of each sequence; empty: all steps

  /// Number of rows of the data.
  std::int64_t rows() const { return steps * batch; }
  std::int64_t row(std::int64_t step, std::int64_t sequence) const {
    return batch_first ? sequence * steps + step : step * batch + sequence;
  }
  /// Number of rows from one sequence to the next at the same step.
  std::int64_t row_distance() const { return batch_first ? steps : 1; }
  /// The row of an initial or last state.
  std::int64_t state_row(std::int64_t direction, std::int64_t sequence) const {
    return batch_first ? sequence * directions + direction : direction * batch + sequence;
  }
  /// The row of a state after a step, or of the gates of the step.
  std::int64_t history_row(std::int64_t step, std::int64_t direction, std::int64_t sequence) const {
    return batch_first ? (sequence * steps + step) * directions + direction
                       : (step * directions + direction) * batch + sequence;
  }

  bool is_reversed(std::int64_t direction) const { return starts_reversed || direction == 1; }
  /// The step that a direction computes after `before` other steps.
  std::int64_t step_after(std::int64_t before, std::int64_t direction) const {
    return is_reversed(direction) ? steps - 1 - before : before;
  }
  /// Whether the sequence has this step. Steps beyond its length leave its states unchanged.
  bool has(std::int64_t step, std::int64_t sequence) const {
    return lengths.empty() || step < lengths[static_cast<std::size_t>(sequence)];
  }
  /// The step whose state enters `step`; nullopt if `step` is the sequence's first in this
  /// direction.
  std::optional<std::int64_t> step_before(std::int64_t step, std::int64_t direction,
                                          std::int64_t sequence) const {
    const std::int64_t before = is_reversed(direction) ? step + 1 : step - 1;
    const bool is_there = before >= 0 && before < steps && has(before, sequence);
    return is_there ? std::optional(before) : std::nullopt;
  }
};

/// The operator, sizes, attributes and element type of a recurrent kernel.
struct CellWork {
  CellKind kind = CellKind::rnn;
  SequenceShape shape;
  Recurrence attributes;
  ElementType stored = ElementType::float32;  ///< the element type of the operands in memory
};

/// The dense operands of a recurrent kernel by their CellOperand; null where left out. In a
/// gradient kernel, results are the gradients of the operands that they are named after.
template <class C>
struct CellTensors {
  static constexpr auto count = static_cast<std::size_t>(CellOperand::cell_last_gradient) + 1;

  std::array<const C*, count> operands{};
  std::array<C*, count> results{};

  const C* operator[](CellOperand operand) const {
    return operands[static_cast<std::size_t>(operand)];
  }
  C* result(CellOperand operand) const { return results[static_cast<std::size_t>(operand)]; }
};

/// Computes all results of RNN, GRU or LSTM. (ONNX, RNN, GRU, LSTM)
template <class C>
void run_cells(const CellWork& work, const CellTensors<C>& tensors);

/// Computes the gradients of the operands by backpropagation through time.
template <class C>
void run_cells_backward(const CellWork& work, const CellTensors<C>& tensors);

}  // namespace stashscope::cpu
