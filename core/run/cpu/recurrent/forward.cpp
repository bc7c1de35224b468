#include "core/run/cpu/primitives/matrix.h"
#include "core/run/cpu/recurrent/cell_gate.h"
#include "core/run/cpu/recurrent/sequence.h"

namespace stashscope::cpu {

namespace {

using enum CellOperand;

std::size_t buffer_size(std::int64_t rows, std::int64_t columns) {
  return static_cast<std::size_t>(rows * columns);
}

/// Computes one direction. States and products have one row for each sequence.
template <class C>
class ForwardCells {
 public:
  ForwardCells(const CellWork& work, const CellTensors<C>& tensors, std::int64_t direction)
      : work_(work),
        tensors_(tensors),
        shape_(work.shape),
        direction_(direction),
        width_(shape_.gates * shape_.hidden),
        state_width_(joins_product(work) ? width_ : 2 * shape_.hidden),
        gates_(work.attributes, direction, work.stored),
        projected_(buffer_size(shape_.rows(), width_)),
        recurrent_(buffer_size(shape_.batch, state_width_)),
        hidden_(buffer_size(shape_.batch, shape_.hidden)),
        cell_(hidden_.size()) {}

  void run() {
    project();
    load(initial_hidden, hidden_);
    load(initial_cell, cell_);
    for (std::int64_t i = 0; i < shape_.steps; ++i) {
      const std::int64_t step = shape_.step_after(i, direction_);
      compute(step);
      record(step);
    }
    store(hidden_, hidden_last);
    store(cell_, cell_last);
  }

 private:
  /// Whether one product of the state serves all gates. GRU's candidate may need a state that the
  /// reset gate has scaled.
  static bool joins_product(const CellWork& work) {
    return work.kind != CellKind::gru || work.attributes.linear_before_reset;
  }

  Matrix<C> weights(CellOperand operand, std::int64_t columns) const {
    const std::int64_t offset = direction_ * width_ * columns;
    return dense_matrix(tensors_[operand] + offset, width_, columns);
  }
  Matrix<C> states(const std::vector<C>& items) const {
    return dense_matrix(items.data(), shape_.batch, shape_.hidden);
  }

  /// Whether the biases of R and W are added together. GRU's reset gate may scale the bias of R.
  bool joins(std::int64_t column) const {
    const bool scaled = work_.kind == CellKind::gru && work_.attributes.linear_before_reset;
    return !scaled || column < 2 * shape_.hidden;
  }

  /// Computes the part of the gates that depends on the data alone, for all steps.
  void project() {
    const Matrix<C> x = dense_matrix(tensors_[data], shape_.rows(), shape_.input);
    multiply(x, weights(weight, shape_.input).transposed(), projected_.data());
    if (tensors_[bias] == nullptr) return;
    const C* const own = tensors_[bias] + direction_ * 2 * width_;
    C* next = projected_.data();
    for (std::int64_t row = 0; row < shape_.rows(); ++row) {
      for (std::int64_t i = 0; i < width_; ++i) {
        *next++ += own[i] + (joins(i) ? own[width_ + i] : C(0));
      }
    }
  }

  void load(CellOperand operand, std::vector<C>& states) const {
    if (tensors_[operand] == nullptr) return;
    for (std::int64_t b = 0; b < shape_.batch; ++b) {
      const C* const from = tensors_[operand] + shape_.state_row(direction_, b) * shape_.hidden;
      std::copy_n(from, shape_.hidden, states.data() + b * shape_.hidden);
    }
  }

  void store(const std::vector<C>& states, CellOperand operand) const {
    if (tensors_.result(operand) == nullptr) return;
    for (std::int64_t b = 0; b < shape_.batch; ++b) {
      C* const to = tensors_.result(operand) + shape_.state_row(direction_, b) * shape_.hidden;
      std::copy_n(states.data() + b * shape_.hidden, shape_.hidden, to);
    }
  }

  /// Stores the states after a step, and zeros for sequences that do not have the step.
  void record(std::int64_t step) const {
    record(step, hidden_, hidden_all);
    record(step, cell_, cell_all);
  }
  void record(std::int64_t step, const std::vector<C>& states, CellOperand operand) const {
    if (tensors_.result(operand) == nullptr) return;
    for (std::int64_t b = 0; b < shape_.batch; ++b) {
      C* const to =
          tensors_.result(operand) + shape_.history_row(step, direction_, b) * shape_.hidden;
      if (shape_.has(step, b)) {
        std::copy_n(states.data() + b * shape_.hidden, shape_.hidden, to);
      } else {
        std::fill_n(to, shape_.hidden, C(0));
      }
    }
  }

  void record_gates(std::int64_t step, std::int64_t sequence, const C* values) const {
    if (tensors_.result(gates) == nullptr) return;
    C* const to = tensors_.result(gates) + shape_.history_row(step, direction_, sequence) * width_;
    std::copy_n(values, width_, to);
  }

  /// Calls `body(sequence, sums)` for each sequence that has the step. `sums` holds the data's part
  /// of all gates until `body` overwrites it. Records zeros as the gates of sequences without the
  /// step.
  template <class Body>
  void for_each_sequence(std::int64_t step, Body body) {
    const std::vector<C> none(tensors_.result(gates) != nullptr ? buffer_size(1, width_) : 0);
    for (std::int64_t b = 0; b < shape_.batch; ++b) {
      if (shape_.has(step, b)) {
        body(b, projected_.data() + shape_.row(step, b) * width_);
      } else {
        record_gates(step, b, none.data());
      }
    }
  }

  void compute(std::int64_t step) {
    Matrix<C> own = weights(recurrent_weight, shape_.hidden);
    own.rows = state_width_;
    multiply(states(hidden_), own.transposed(), recurrent_.data());
    if (work_.kind == CellKind::gru) return compute_gru(step);
    for_each_sequence(step, [&](std::int64_t b, C* sums) {
      const C* const from_state = recurrent_.data() + b * state_width_;
      for (std::int64_t i = 0; i < width_; ++i) sums[i] += from_state[i];
      if (work_.kind == CellKind::rnn) {
        std::transform(sums, sums + width_, hidden_.data() + b * shape_.hidden, gates_.f);
      } else {
        compute_lstm(step, b, sums);
      }
    });
  }

  /// @param sums pre-activations of the gates i, o, f and of the candidate; receives their values
  void compute_lstm(std::int64_t step, std::int64_t sequence, C* sums) {
    const std::int64_t n = shape_.hidden;
    const C* const peepholes =
        tensors_[peephole] == nullptr ? nullptr : tensors_[peephole] + direction_ * 3 * n;
    C* const h = hidden_.data() + sequence * n;
    C* const c = cell_.data() + sequence * n;
    const auto seen = [&](std::int64_t gate, std::int64_t i) {
      return peepholes == nullptr ? C(0) : peepholes[gate * n + i] * c[i];
    };
    for (std::int64_t i = 0; i < n; ++i) {
      C& in = sums[i];
      C& out = sums[n + i];
      C& forget = sums[2 * n + i];
      C& candidate = sums[3 * n + i];
      in = gates_.f(in + seen(0, i));
      forget = work_.attributes.couples_gates ? C(1) - in : gates_.f(forget + seen(2, i));
      candidate = gates_.g(candidate);
      c[i] = forget * c[i] + in * candidate;
      out = gates_.f(out + seen(1, i));
      h[i] = out * gates_.h(c[i]);
    }
    record_gates(step, sequence, sums);
  }

  void compute_gru(std::int64_t step) {
    const std::int64_t n = shape_.hidden;
    std::vector<C> reset(hidden_.size());
    for_each_sequence(step, [&](std::int64_t b, C* sums) {
      const C* const from_state = recurrent_.data() + b * state_width_;
      for (std::int64_t i = 0; i < 2 * n; ++i) sums[i] = gates_.f(sums[i] + from_state[i]);
      for (std::int64_t i = 0; i < n; ++i) {
        reset[static_cast<std::size_t>(b * n + i)] =
            sums[n + i] * hidden_[static_cast<std::size_t>(b * n + i)];
      }
    });
    const std::vector<C> from_state = candidate_part(reset);
    for_each_sequence(step, [&](std::int64_t b, C* sums) {
      const C* const part = from_state.data() + b * n;
      C* const h = hidden_.data() + b * n;
      for (std::int64_t i = 0; i < n; ++i) {
        const C scale = work_.attributes.linear_before_reset ? sums[n + i] : C(1);
        C& candidate = sums[2 * n + i];
        candidate = gates_.g(candidate + scale * part[i]);
        h[i] = (C(1) - sums[i]) * candidate + sums[i] * h[i];
      }
      record_gates(step, b, sums);
    });
  }

  /// The recurrent part of the candidate, one row for each sequence. With linear_before_reset, the
  /// recurrent part includes the bias of R, and the caller scales the sum by the reset gate.
  /// Otherwise, the recurrent part is computed from the state that the reset gate has scaled.
  std::vector<C> candidate_part(const std::vector<C>& reset) const {
    const std::int64_t n = shape_.hidden;
    std::vector<C> part(hidden_.size());
    if (!work_.attributes.linear_before_reset) {
      Matrix<C> own = weights(recurrent_weight, n);
      own.data += 2 * n * n;
      own.rows = n;
      multiply(states(reset), own.transposed(), part.data());
      return part;
    }
    const C* const own =
        tensors_[bias] == nullptr ? nullptr : tensors_[bias] + direction_ * 2 * width_ + 5 * n;
    for (std::int64_t b = 0; b < shape_.batch; ++b) {
      const C* const from = recurrent_.data() + b * state_width_ + 2 * n;
      C* const to = part.data() + b * n;
      for (std::int64_t i = 0; i < n; ++i) to[i] = from[i] + (own == nullptr ? C(0) : own[i]);
    }
    return part;
  }

  const CellWork& work_;
  const CellTensors<C>& tensors_;
  const SequenceShape& shape_;
  std::int64_t direction_;
  std::int64_t width_;        ///< columns of all gates
  std::int64_t state_width_;  ///< columns of the gates that share one product of the state
  CellGates<C> gates_;
  std::vector<C> projected_;
  std::vector<C> recurrent_;
  std::vector<C> hidden_;
  std::vector<C> cell_;
};

}  // namespace

template <class C>
void run_cells(const CellWork& work, const CellTensors<C>& tensors) {
  for (std::int64_t direction = 0; direction < work.shape.directions; ++direction) {
    ForwardCells<C>(work, tensors, direction).run();
  }
}

template void run_cells(const CellWork& work, const CellTensors<float>& tensors);
template void run_cells(const CellWork& work, const CellTensors<double>& tensors);

}  // namespace stashscope::cpu
