#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// A function that ONNX allows as an activation of a recurrent operator.
enum class CellFunction : std::uint8_t {
  relu,
  tanh,
  sigmoid,
  affine,
  leaky_relu,
  thresholded_relu,
  scaled_tanh,
  hard_sigmoid,
  elu,
  softsign,
  softplus,
};

/// An activation with its parameters. A function without parameters ignores alpha and beta.
struct CellActivation {
  CellFunction function = CellFunction::tanh;
  double alpha = 0;
  double beta = 0;
};

/// The operators RNN, GRU and LSTM.
enum class CellKind : std::uint8_t { rnn, gru, lstm };

/// The number of blocks of H rows in the weights W and R of one direction: 1 for RNN, 3 for GRU
/// (zrh), 4 for LSTM (iofc).
std::int64_t gates_of(CellKind kind);

/// The role of an operand of a recurrent operator. There are S time steps, D directions and G
/// gates; B is the batch size, I the input size, H the hidden size. With `layout` 1, the batch is
/// the first axis of the data, of all states and of the gates.
enum class CellOperand : std::uint8_t {
  data,              ///< X [S, B, I]
  weight,            ///< W [D, G H, I]
  recurrent_weight,  ///< R [D, G H, H]
  bias,              ///< [D, 2 G H]: the bias of W, then the bias of R
  lengths,           ///< the number of time steps of each sequence [B]
  initial_hidden,    ///< [D, B, H]
  initial_cell,      ///< [D, B, H]
  peephole,          ///< P [D, 3 H] in the order i, o, f
  hidden_all,        ///< the hidden state after every time step [S, D, B, H]
  hidden_last,       ///< [D, B, H]
  cell_all,          ///< the cell state after every time step [S, D, B, H]
  cell_last,         ///< [D, B, H]
  gates,             ///< the gates after their activations [S, D, B, G H]
  hidden_all_gradient,
  hidden_last_gradient,
  cell_last_gradient,
};

/// The operands of a recurrent operator, of its training form or of its gradient operator. The
/// outputs of a gradient operator are the gradients of the operands in `outputs`.
struct CellSignature {
  std::string_view type;
  CellKind kind;
  std::vector<CellOperand> inputs;
  std::vector<CellOperand> outputs;
};

/// The signature of an operator type. Throws an input Error if the operator is not recurrent.
const CellSignature& cell_signature(std::string_view type);
/// The index of `operand` among `operands`; nothing if it is missing.
std::optional<std::size_t> place_of(CellOperand operand, const std::vector<CellOperand>& operands);

/// The attributes of a recurrent operator. (ONNX, RNN, GRU, LSTM)
struct Recurrence {
  std::int64_t directions = 1;
  bool starts_reversed = false;  ///< the first direction runs from the end of the sequence
  bool batch_first = false;      ///< `layout` 1: the batch is the first axis of data and states
  bool couples_gates = false;    ///< `input_forget`: the forget gate is 1 - the input gate
  bool linear_before_reset = false;
  std::optional<double> clip;  ///< bound on the absolute values that enter the gates' activations
  /// One list for each direction: f of RNN; f, g of GRU; f, g, h of LSTM.
  std::vector<std::vector<CellActivation>> activations;
};

/// Reads the attributes of a recurrent operator. Throws an input Error for an invalid value.
Recurrence read_recurrence(CellKind kind, const Attributes& attributes);

/// Whether the derivative of the function can be computed from its output alone, so that its input
/// need not be saved.
bool tells_slope(const CellActivation& activation);
/// The name of the function in ONNX.
std::string name_of(CellFunction function);

}  // namespace stashscope
