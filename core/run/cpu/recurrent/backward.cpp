#include "core/run/cpu/primitives/matrix.h"
#include "core/run/cpu/recurrent/cell_gate.h"
#include "core/run/cpu/recurrent/sequence.h"

namespace stashscope::cpu {

namespace {

using enum CellOperand;

/// The sum of each column of a dense matrix.
template <class C>
std::vector<C> column_sums(const std::vector<C>& items, std::int64_t columns) {
  std::vector<double> sums(static_cast<std::size_t>(columns));
  for (std::size_t i = 0; i < items.size(); ++i) {
    sums[i % sums.size()] += static_cast<double>(items[i]);
  }
  return {sums.begin(), sums.end()};
}

/// Backpropagation through time in one direction. Buffers for all steps have rows in the order of
/// the data; states have one row for each sequence. The gradient of a gate is the gradient of its
/// pre-activation.
template <class C>
class BackwardCells {
 public:
  BackwardCells(const CellWork& work, const CellTensors<C>& tensors, std::int64_t direction)
      : work_(work),
        tensors_(tensors),
        shape_(work.shape),
        direction_(direction),
        n_(shape_.hidden),
        width_(shape_.gates * n_),
        gates_(work.attributes, direction, work.stored),
        sums_(size(shape_.rows(), width_)),
        state_sums_(scales_state_part() ? sums_.size() : 0),
        entering_(size(shape_.rows(), n_)),
        reset_(work.kind == CellKind::gru && !scales_state_part() ? entering_.size() : 0),
        hidden_(size(shape_.batch, n_)),
        cell_(hidden_.size()),
        product_(hidden_.size()),
        peepholes_(tensors.result(peephole) == nullptr ? 0 : size(3, n_)) {}

  void run() {
    load(hidden_last_gradient, hidden_);
    load(cell_last_gradient, cell_);
    for (std::int64_t i = shape_.steps; i-- > 0;) compute(shape_.step_after(i, direction_));
    store(hidden_, initial_hidden);
    store(cell_, initial_cell);
    add_data_gradient();
    make_weight_gradients();
    make_bias_gradient();
    if (C* const to = tensors_.result(peephole)) {
      std::transform(peepholes_.begin(), peepholes_.end(), to + direction_ * 3 * n_,
                     [](double sum) { return static_cast<C>(sum); });
    }
  }

 private:
  static std::size_t size(std::int64_t rows, std::int64_t columns) {
    return static_cast<std::size_t>(rows * columns);
  }

  /// Whether the reset gate scales the recurrent part of the candidate instead of the state.
  bool scales_state_part() const {
    return work_.kind == CellKind::gru && work_.attributes.linear_before_reset;
  }

  /// The gradients of the recurrent parts of the gates' pre-activations.
  std::vector<C>& of_state() { return scales_state_part() ? state_sums_ : sums_; }

  void load(CellOperand operand, std::vector<C>& states) const {
    if (tensors_[operand] == nullptr) return;
    for (std::int64_t b = 0; b < shape_.batch; ++b) {
      const C* const from = tensors_[operand] + shape_.state_row(direction_, b) * n_;
      std::copy_n(from, n_, states.data() + b * n_);
    }
  }

  void store(const std::vector<C>& states, CellOperand operand) const {
    if (tensors_.result(operand) == nullptr) return;
    for (std::int64_t b = 0; b < shape_.batch; ++b) {
      C* const to = tensors_.result(operand) + shape_.state_row(direction_, b) * n_;
      std::copy_n(states.data() + b * n_, n_, to);
    }
  }

  /// The state of `sequence` after `step`; null where the operand is left out.
  const C* history(CellOperand operand, std::int64_t step, std::int64_t sequence) const {
    if (tensors_[operand] == nullptr) return nullptr;
    return tensors_[operand] + shape_.history_row(step, direction_, sequence) * n_;
  }

  /// The state that enters a step; null: all zeros.
  const C* before(CellOperand all, CellOperand initial, std::int64_t step,
                  std::int64_t sequence) const {
    const auto previous = shape_.step_before(step, direction_, sequence);
    if (previous) return history(all, *previous, sequence);
    if (tensors_[initial] == nullptr) return nullptr;
    return tensors_[initial] + shape_.state_row(direction_, sequence) * n_;
  }

  const C* gate_values(std::int64_t step, std::int64_t sequence) const {
    return tensors_[gates] + shape_.history_row(step, direction_, sequence) * width_;
  }

  /// The rows of one step in a buffer for all steps; `columns` columns from column `first` on.
  Matrix<C> at_step(const std::vector<C>& items, std::int64_t step, std::int64_t width,
                    std::int64_t first, std::int64_t columns) const {
    return {items.data() + shape_.row(step, 0) * width + first, shape_.batch, columns,
            shape_.row_distance() * width, 1};
  }

  /// `rows` rows of R, from row `first` on.
  Matrix<C> recurrent_weights(std::int64_t first, std::int64_t rows) const {
    return dense_matrix(tensors_[recurrent_weight] + (direction_ * width_ + first) * n_, rows, n_);
  }

  template <class Body>
  void for_each_sequence(std::int64_t step, Body body) const {
    for (std::int64_t b = 0; b < shape_.batch; ++b) {
      if (shape_.has(step, b)) body(b, shape_.row(step, b));
    }
  }

  void compute(std::int64_t step) {
    for_each_sequence(step, [&](std::int64_t b, std::int64_t row) {
      if (const C* const from = history(hidden_all_gradient, step, b)) {
        C* const to = hidden_.data() + b * n_;
        for (std::int64_t i = 0; i < n_; ++i) to[i] += from[i];
      }
      const C* const state = before(hidden_all, initial_hidden, step, b);
      if (state != nullptr) std::copy_n(state, n_, entering_.data() + row * n_);
    });
    if (work_.kind == CellKind::gru) return compute_gru(step);
    for_each_sequence(step, [&](std::int64_t b, std::int64_t row) {
      work_.kind == CellKind::rnn ? compute_rnn(step, b, row) : compute_lstm(step, b, row);
      std::fill_n(hidden_.data() + b * n_, n_, C(0));
    });
    add_to_state(step, width_);
  }

  /// Multiplies the first `columns` columns of the gates' gradients by the first `columns` rows of
  /// R and adds the product to the gradient of the state that enters the step.
  void add_to_state(std::int64_t step, std::int64_t columns) {
    multiply(at_step(of_state(), step, width_, 0, columns), recurrent_weights(0, columns),
             product_.data());
    for (std::size_t i = 0; i < hidden_.size(); ++i) hidden_[i] += product_[i];
  }

  void compute_rnn(std::int64_t step, std::int64_t sequence, std::int64_t row) {
    const C* const h = history(hidden_all, step, sequence);
    const C* const dh = hidden_.data() + sequence * n_;
    C* const to = sums_.data() + row * width_;
    for (std::int64_t i = 0; i < n_; ++i) to[i] = dh[i] * gates_.f.slope(h[i]);
  }

  void compute_lstm(std::int64_t step, std::int64_t sequence, std::int64_t row) {
    const C* const values = gate_values(step, sequence);
    const C* const c = history(cell_all, step, sequence);
    const C* const entered = before(cell_all, initial_cell, step, sequence);
    const C* const weights =
        tensors_[peephole] == nullptr ? nullptr : tensors_[peephole] + direction_ * 3 * n_;
    const bool couples = work_.attributes.couples_gates;
    const C* const dh = hidden_.data() + sequence * n_;
    C* const dc = cell_.data() + sequence * n_;
    C* const to = sums_.data() + row * width_;
    const auto peeked = [&](std::int64_t gate, std::int64_t i) {
      return weights == nullptr ? C(0) : weights[gate * n_ + i];
    };
    for (std::int64_t i = 0; i < n_; ++i) {
      const C in = values[i];
      const C out = values[n_ + i];
      const C forget = values[2 * n_ + i];
      const C candidate = values[3 * n_ + i];
      const C state = entered == nullptr ? C(0) : entered[i];
      const C shown = gates_.h(c[i]);
      const C d_out = dh[i] * shown * gates_.f.slope(out);
      dc[i] += dh[i] * out * gates_.h.slope(shown) + d_out * peeked(1, i);
      const C d_in = dc[i] * (couples ? candidate - state : candidate) * gates_.f.slope(in);
      const C d_forget = couples ? C(0) : dc[i] * state * gates_.f.slope(forget);
      to[i] = d_in;
      to[n_ + i] = d_out;
      to[2 * n_ + i] = d_forget;
      to[3 * n_ + i] = dc[i] * in * gates_.g.slope(candidate);
      add_peepholes(i, {d_in * state, d_out * c[i], d_forget * state});
      dc[i] = dc[i] * forget + d_in * peeked(0, i) + d_forget * peeked(2, i);
    }
  }

  void add_peepholes(std::int64_t i, const std::array<C, 3>& terms) {
    if (peepholes_.empty()) return;
    for (std::int64_t gate = 0; gate < 3; ++gate) {
      peepholes_[static_cast<std::size_t>(gate * n_ + i)] +=
          static_cast<double>(terms[static_cast<std::size_t>(gate)]);
    }
  }

  void compute_gru(std::int64_t step) {
    for_each_sequence(step, [&](std::int64_t b, std::int64_t row) {
      const C* const values = gate_values(step, b);
      const C* const state = entering_.data() + row * n_;
      C* const dh = hidden_.data() + b * n_;
      C* const to = sums_.data() + row * width_;
      for (std::int64_t i = 0; i < n_; ++i) {
        const C update = values[i];
        const C candidate = values[2 * n_ + i];
        to[i] = dh[i] * (state[i] - candidate) * gates_.f.slope(update);
        to[2 * n_ + i] = dh[i] * (C(1) - update) * gates_.g.slope(candidate);
        dh[i] *= update;
      }
    });
    scales_state_part() ? reset_state_part(step) : reset_state(step);
  }

  /// With linear_before_reset, the recurrent part of the candidate is r (h R^T + b).
  void reset_state_part(std::int64_t step) {
    multiply(at_step(entering_, step, n_, 0, n_), recurrent_weights(2 * n_, n_).transposed(),
             product_.data());
    const C* const own =
        tensors_[bias] == nullptr ? nullptr : tensors_[bias] + direction_ * 2 * width_ + 5 * n_;
    for_each_sequence(step, [&](std::int64_t b, std::int64_t row) {
      const C* const reset = gate_values(step, b) + n_;
      const C* const part = product_.data() + b * n_;
      C* const to = sums_.data() + row * width_;
      C* const to_state = state_sums_.data() + row * width_;
      for (std::int64_t i = 0; i < n_; ++i) {
        const C added = own == nullptr ? C(0) : own[i];
        to[n_ + i] = to[2 * n_ + i] * (part[i] + added) * gates_.f.slope(reset[i]);
        to_state[2 * n_ + i] = to[2 * n_ + i] * reset[i];
      }
      std::copy_n(to, 2 * n_, to_state);
    });
    add_to_state(step, width_);
  }

  /// Without linear_before_reset, the recurrent part of the candidate is (r h) R^T + b.
  void reset_state(std::int64_t step) {
    multiply(at_step(sums_, step, width_, 2 * n_, n_), recurrent_weights(2 * n_, n_),
             product_.data());
    for_each_sequence(step, [&](std::int64_t b, std::int64_t row) {
      const C* const reset = gate_values(step, b) + n_;
      const C* const state = entering_.data() + row * n_;
      const C* const d_scaled = product_.data() + b * n_;
      C* const dh = hidden_.data() + b * n_;
      C* const to = sums_.data() + row * width_ + n_;
      for (std::int64_t i = 0; i < n_; ++i) {
        to[i] = d_scaled[i] * state[i] * gates_.f.slope(reset[i]);
        dh[i] += d_scaled[i] * reset[i];
        reset_[static_cast<std::size_t>(row * n_ + i)] = reset[i] * state[i];
      }
    });
    add_to_state(step, 2 * n_);
  }

  /// Computes this direction's part of dX. Direction 0 stores the part and direction 1 adds to it,
  /// because both directions read the same data.
  void add_data_gradient() const {
    C* const to = tensors_.result(data);
    if (to == nullptr) return;
    const Matrix<C> own =
        dense_matrix(tensors_[weight] + direction_ * width_ * shape_.input, width_, shape_.input);
    const Matrix<C> sums = dense_matrix(sums_.data(), shape_.rows(), width_);
    if (direction_ == 0) return multiply(sums, own, to);
    std::vector<C> part(size(shape_.rows(), shape_.input));
    multiply(sums, own, part.data());
    for (std::size_t i = 0; i < part.size(); ++i) to[i] += part[i];
  }

  void make_weight_gradients() {
    if (C* const to = tensors_.result(weight)) {
      multiply_transposed(sums_, 0, width_,
                          dense_matrix(tensors_[data], shape_.rows(), shape_.input),
                          to + direction_ * width_ * shape_.input);
    }
    C* to = tensors_.result(recurrent_weight);
    if (to == nullptr) return;
    to += direction_ * width_ * n_;
    const std::int64_t plain = reset_.empty() ? width_ : 2 * n_;
    multiply_transposed(of_state(), 0, plain, dense_matrix(entering_.data(), shape_.rows(), n_),
                        to);
    if (plain == width_) return;
    multiply_transposed(sums_, plain, n_, dense_matrix(reset_.data(), shape_.rows(), n_),
                        to + plain * n_);
  }

  /// product = left^T right, where `left` holds `columns` columns of the gates' gradients `items`
  /// at all steps, from column `first` on.
  void multiply_transposed(const std::vector<C>& items, std::int64_t first, std::int64_t columns,
                           const Matrix<C>& right, C* product) const {
    const Matrix<C> left = {items.data() + first, shape_.rows(), columns, width_, 1};
    multiply(left.transposed(), right, product);
  }

  void make_bias_gradient() {
    C* to = tensors_.result(bias);
    if (to == nullptr) return;
    to += direction_ * 2 * width_;
    std::ranges::copy(column_sums(sums_, width_), to);
    std::ranges::copy(column_sums(of_state(), width_), to + width_);
  }

  const CellWork& work_;
  const CellTensors<C>& tensors_;
  const SequenceShape& shape_;
  std::int64_t direction_;
  std::int64_t n_;      ///< hidden size
  std::int64_t width_;  ///< columns of all gates
  CellGates<C> gates_;
  std::vector<C> sums_;        ///< gradients of the pre-activations, for all steps
  std::vector<C> state_sums_;  ///< gradients of the recurrent parts if they differ from `sums_`
  std::vector<C> entering_;    ///< the states that enter the steps
  std::vector<C> reset_;       ///< reset gate times entering state; empty if not needed
  std::vector<C> hidden_;      ///< gradients of the state
  std::vector<C> cell_;
  std::vector<C> product_;
  std::vector<double> peepholes_;
};

}  // namespace

template <class C>
void run_cells_backward(const CellWork& work, const CellTensors<C>& tensors) {
  for (std::int64_t direction = 0; direction < work.shape.directions; ++direction) {
    BackwardCells<C>(work, tensors, direction).run();
  }
}

template void run_cells_backward(const CellWork& work, const CellTensors<float>& tensors);
template void run_cells_backward(const CellWork& work, const CellTensors<double>& tensors);

}  // namespace stashscope::cpu
