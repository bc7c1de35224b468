#include "core/ops/rules/recurrent.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/error.h"

namespace stashscope {

namespace {

/// The operands of the training forms and gradient operators of GRU and LSTM are those of ONNX
/// Runtime, except that LSTMGrad of ONNX Runtime has no peephole weights.
const std::vector<CellSignature>& cell_signatures() {
  using enum CellOperand;
  using Operands = std::vector<CellOperand>;
  const Operands plain = {data, weight, recurrent_weight, bias, lengths, initial_hidden};
  const Operands lstm = {data,    weight,         recurrent_weight, bias,
                         lengths, initial_hidden, initial_cell,     peephole};
  const Operands plain_gradients = {data, weight, recurrent_weight, bias, initial_hidden};
  static const std::vector<CellSignature> all = {
      {"RNN", CellKind::rnn, plain, {hidden_all, hidden_last}},
      {"GRU", CellKind::gru, plain, {hidden_all, hidden_last}},
      {"LSTM", CellKind::lstm, lstm, {hidden_all, hidden_last, cell_last}},
      {"GRUTraining", CellKind::gru, plain, {hidden_all, hidden_last, gates}},
      {"LSTMTraining", CellKind::lstm, lstm, {hidden_all, hidden_last, cell_last, cell_all, gates}},
      {"RNNGrad",
       CellKind::rnn,
       {data, weight, recurrent_weight, lengths, initial_hidden, hidden_all, hidden_all_gradient,
        hidden_last_gradient},
       plain_gradients},
      {"GRUGrad",
       CellKind::gru,
       {data, weight, recurrent_weight, bias, lengths, initial_hidden, hidden_all, gates,
        hidden_all_gradient, hidden_last_gradient},
       plain_gradients},
      {"LSTMGrad",
       CellKind::lstm,
       {data, weight, recurrent_weight, lengths, initial_hidden, initial_cell, hidden_all, cell_all,
        gates, hidden_all_gradient, hidden_last_gradient, cell_last_gradient, peephole},
       {data, weight, recurrent_weight, bias, initial_hidden, initial_cell, peephole}},
  };
  return all;
}

/// A function's name, its parameters and their defaults. (ONNX, RNN. ONNX gives ScaledTanh no
/// defaults. With the defaults chosen here, alpha 1 and beta 1, ScaledTanh equals Tanh.)
struct FunctionEntry {
  CellFunction function;
  const char* name;
  bool takes_alpha = false;
  bool takes_beta = false;
  double alpha = 0;
  double beta = 0;
};

constexpr std::array cell_functions = {
    FunctionEntry{CellFunction::relu, "Relu"},
    FunctionEntry{CellFunction::tanh, "Tanh"},
    FunctionEntry{CellFunction::sigmoid, "Sigmoid"},
    FunctionEntry{CellFunction::affine, "Affine", true, true, 1, 0},
    FunctionEntry{CellFunction::leaky_relu, "LeakyRelu", true, false, double{0.01F}},
    FunctionEntry{CellFunction::thresholded_relu, "ThresholdedRelu", true, false, 1},
    FunctionEntry{CellFunction::scaled_tanh, "ScaledTanh", true, true, 1, 1},
    FunctionEntry{CellFunction::hard_sigmoid, "HardSigmoid", true, true, double{0.2F}, 0.5},
    FunctionEntry{CellFunction::elu, "Elu", true, false, 1},
    FunctionEntry{CellFunction::softsign, "Softsign"},
    FunctionEntry{CellFunction::softplus, "Softplus"},
};

/// Whether two names are equal, ignoring case. (ONNX Runtime also ignores the case of activations.)
bool same_word(std::string_view a, std::string_view b) {
  const auto lower = [](unsigned char c) { return std::tolower(c); };
  return std::ranges::equal(a, b, {}, lower, lower);
}

const FunctionEntry& entry_of(const std::string& name) {
  const auto found = std::find_if(cell_functions.begin(), cell_functions.end(),
                                  [&](const auto& each) { return same_word(each.name, name); });
  if (found == cell_functions.end())
    fail_input("", "has the unknown activation " + printable(name));
  return *found;
}

/// Reads the numbers of an attribute in order. After the end of the list, `next` returns
/// `otherwise`.
class NumberList {
 public:
  NumberList(const Attributes& attributes, const char* name) {
    const AttributeValue* const value = attributes.find(name);
    if (value == nullptr) return;
    const auto* const items = std::get_if<Floats>(value);
    if (items == nullptr) {
      fail_input("", std::string("attribute '") + name + "' is not a list of floats");
    }
    items_ = *items;
  }

  double next(double otherwise) { return at_ < items_.size() ? double{items_[at_++]} : otherwise; }

 private:
  Floats items_;
  std::size_t at_ = 0;
};

Strings default_activations(CellKind kind) {
  if (kind == CellKind::rnn) return {"Tanh"};
  if (kind == CellKind::gru) return {"Sigmoid", "Tanh"};
  return {"Sigmoid", "Tanh", "Tanh"};
}

std::vector<std::vector<CellActivation>> read_activations(CellKind kind,
                                                          const Attributes& attributes,
                                                          std::int64_t directions) {
  Strings names = attributes.texts("activations");
  const Strings usual = default_activations(kind);
  const std::size_t needed = usual.size() * static_cast<std::size_t>(directions);
  for (std::size_t i = 0; names.size() < needed && !attributes.has("activations"); ++i) {
    names.push_back(usual[i % usual.size()]);
  }
  if (names.size() != needed) {
    fail_input("", "has " + std::to_string(names.size()) + " activations; the operator needs " +
                       std::to_string(needed));
  }
  NumberList alphas(attributes, "activation_alpha");
  NumberList betas(attributes, "activation_beta");
  std::vector<std::vector<CellActivation>> read(static_cast<std::size_t>(directions));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const FunctionEntry& entry = entry_of(names[i]);
    read[i / usual.size()].push_back({entry.function,
                                      entry.takes_alpha ? alphas.next(entry.alpha) : 0,
                                      entry.takes_beta ? betas.next(entry.beta) : 0});
  }
  return read;
}

std::optional<double> read_clip(const Attributes& attributes) {
  if (!attributes.has("clip")) return std::nullopt;
  const double clip = double{attributes.real("clip", 0)};
  if (!(clip > 0)) fail_input("", "attribute 'clip' is not above 0");
  return clip;
}

}  // namespace

const CellSignature& cell_signature(std::string_view type) {
  const std::vector<CellSignature>& all = cell_signatures();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.type == type; });
  if (found == all.end()) fail_input("", "is not a recurrent operator");
  return *found;
}

std::optional<std::size_t> place_of(CellOperand operand, const std::vector<CellOperand>& operands) {
  const auto found = std::find(operands.begin(), operands.end(), operand);
  if (found == operands.end()) return std::nullopt;
  return static_cast<std::size_t>(found - operands.begin());
}

std::int64_t gates_of(CellKind kind) {
  return kind == CellKind::rnn ? 1 : kind == CellKind::gru ? 3 : 4;
}

Recurrence read_recurrence(CellKind kind, const Attributes& attributes) {
  Recurrence read;
  const std::string direction = attributes.text("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
    fail_input("", "has the unknown direction '" + printable(direction) + "'");
  }
  const std::int64_t layout = attributes.integer("layout", 0);
  if (layout != 0 && layout != 1) {
    fail_input("", "has the unknown layout " + std::to_string(layout));
  }
  read.directions = direction == "bidirectional" ? 2 : 1;
  read.starts_reversed = direction == "reverse";
  read.batch_first = layout == 1;
  read.couples_gates = attributes.integer("input_forget", 0) != 0;
  read.linear_before_reset = attributes.integer("linear_before_reset", 0) != 0;
  read.clip = read_clip(attributes);
  read.activations = read_activations(kind, attributes, read.directions);
  return read;
}

bool tells_slope(const CellActivation& activation) {
  const bool bends =
      activation.function == CellFunction::leaky_relu || activation.function == CellFunction::elu;
  return !bends || activation.alpha >= 0;
}

std::string name_of(CellFunction function) {
  const auto found = std::find_if(cell_functions.begin(), cell_functions.end(),
                                  [&](const auto& each) { return each.function == function; });
  return found->name;
}

}  // namespace stashscope
