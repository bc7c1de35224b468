// RNN, GRU and LSTM, their training forms and their gradients.

#include "core/ops/rules/recurrent.h"

#include <algorithm>

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

/// The sizes of a recurrent operator, derived from the shapes of its operands.
class CellSizes {
  using enum CellOperand;

 public:
  explicit CellSizes(ShapeContext& context)
      : context_(context),
        signature_(cell_signature(context.node().op_type)),
        attributes_(read_recurrence(signature_.kind, context.attributes())) {
    const bool batch_first = attributes_.batch_first;
    steps_ = size_of(data, batch_first ? 1 : 0);
    batch_ = size_of(data, batch_first ? 0 : 1);
    input_ = size_of(data, 2);
    hidden_ = size_of(recurrent_weight, 2);
    if (context.attributes().has("hidden_size")) {
      const Expr given = context.attributes().require_integer("hidden_size");
      hidden_ = hidden_
                    ? context.same_dim(*hidden_, given,
                                       "attribute 'hidden_size' and the hidden size of the weights")
                    : given;
    }
    fill_from_others();
  }

  /// The shape of an operand or of its gradient.
  Shape shape(CellOperand operand) const {
    const Expr blocks = gates_of(signature_.kind);
    const Expr directions = attributes_.directions;
    switch (operand) {
      case data:
        return in_layout({*steps_, *batch_, *input_}, 1);
      case weight:
        return {directions, blocks * *hidden_, *input_};
      case recurrent_weight:
        return {directions, blocks * *hidden_, *hidden_};
      case bias:
        return {directions, 2 * blocks * *hidden_};
      case lengths:
        return {*batch_};
      case peephole:
        return {directions, 3 * *hidden_};
      case hidden_all:
      case hidden_all_gradient:
      case cell_all:
        return in_layout({*steps_, directions, *batch_, *hidden_}, 2);
      case gates:
        return in_layout({*steps_, directions, *batch_, blocks * *hidden_}, 2);
      default:
        return in_layout({directions, *batch_, *hidden_}, 1);
    }
  }

  /// Throws an input Error if a required input is omitted or an input's shape differs from `shape`.
  void check_operands() {
    for (std::size_t i = 0; i < signature_.inputs.size(); ++i) {
      const CellOperand operand = signature_.inputs[i];
      if (is_required(operand)) context_.type(i);
      if (!context_.has_input(i)) continue;
      if (context_.has_shape(i)) check_shape(i, shape(operand));
    }
  }

  const CellSignature& signature() const { return signature_; }

 private:
  static bool is_required(CellOperand operand) {
    return operand == weight || operand == recurrent_weight || operand == hidden_all ||
           operand == cell_all || operand == gates;
  }

  std::optional<Expr> size_of(CellOperand operand, std::int64_t axis) const {
    const auto input = place_of(operand, signature_.inputs);
    if (!input || !context_.has_shape(*input)) return std::nullopt;
    return context_.dim(*input, axis);
  }

  /// Derives missing sizes from other operands. A size that no operand determines becomes an
  /// unknown dim.
  void fill_from_others() {
    if (!input_) input_ = size_of(weight, 2);
    if (!batch_) batch_ = size_of(lengths, 0);
    if (!batch_) batch_ = size_of(initial_hidden, attributes_.batch_first ? 0 : 1);
    if (!hidden_) hidden_ = size_of(initial_hidden, 2);
    for (std::optional<Expr>* const size : {&steps_, &batch_, &input_, &hidden_}) {
      if (!*size) *size = context_.unknown_dim();
    }
  }

  void check_shape(std::size_t input, const Shape& wanted) {
    const Shape& given = context_.shape(input);
    const std::string what =
        "axis sizes of input " + std::to_string(input) + " and of other operands";
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      context_.same_dim(given[i], wanted[i], what.c_str());
    }
  }

  /// Converts a shape for `layout` 0 to the layout of the node.
  /// @param batch_axis the axis of the batch in `shape`
  Shape in_layout(Shape shape, std::ptrdiff_t batch_axis) const {
    if (!attributes_.batch_first) return shape;
    std::rotate(shape.begin(), shape.begin() + batch_axis, shape.begin() + batch_axis + 1);
    return shape;
  }

  ShapeContext& context_;
  const CellSignature& signature_;
  Recurrence attributes_;
  std::optional<Expr> steps_;
  std::optional<Expr> batch_;
  std::optional<Expr> input_;
  std::optional<Expr> hidden_;
};

void infer_recurrent(ShapeContext& context) {
  for (std::size_t i = 0; i < context.output_count(); ++i) {
    context.set_element(i, context.element(0));
  }
  CellSizes sizes(context);
  sizes.check_operands();
  const std::vector<CellOperand>& outputs = sizes.signature().outputs;
  for (std::size_t i = 0; i < std::min(outputs.size(), context.output_count()); ++i) {
    if (context.has_output(i)) context.set_shape(i, sizes.shape(outputs[i]));
  }
}

/// The flops of the products with W or R (input `weight`) over all time steps: one multiplication
/// and one addition for each weight, time step and sequence.
double product_flops(const CostContext& cost, std::size_t weight) {
  const auto& x = cost.input_dims(0);
  if (x.empty() || x.back() == 0) return 0;
  return 2 * cost.input_elements(weight) * cost.input_elements(0) / static_cast<double>(x.back());
}

double recurrent_flops(const CostContext& cost) {
  return product_flops(cost, 1) + product_flops(cost, 2);
}

/// The outputs are dX, dW, dR, ... The gradient of the state takes a product with R at every time
/// step.
double recurrent_grad_flops(const CostContext& cost) {
  const auto wants = [&](std::size_t i) {
    return i < cost.outputs.size() && !cost.outputs[i].empty();
  };
  const double inputs = (wants(0) ? 1 : 0) + (wants(1) ? 1 : 0);
  return inputs * product_flops(cost, 1) + (wants(2) ? 2 : 1) * product_flops(cost, 2);
}

void require_slopes(const GradientContext& g, CellKind kind) {
  for (const auto& direction : read_recurrence(kind, g.attributes()).activations) {
    for (const CellActivation& each : direction) {
      if (tells_slope(each)) continue;
      fail_gradient("activation " + name_of(each.function) +
                    " with a negative alpha has no gradient rule");
    }
  }
}

/// An operand of the gradient operator: an input or output of the forward node, or the gradient of
/// an output. Returns an invalid id if the forward node omits the input or no gradient arrives.
ValueId gradient_operand(GradientContext& g, const CellSignature& forward, CellOperand operand) {
  using enum CellOperand;
  const auto gradient_of = [&](CellOperand output) {
    const auto at = place_of(output, forward.outputs);
    return at && g.arrives(*at) ? g.gradient(*at) : ValueId();
  };
  if (operand == hidden_all_gradient) return gradient_of(hidden_all);
  if (operand == hidden_last_gradient) return gradient_of(hidden_last);
  if (operand == cell_last_gradient) return gradient_of(cell_last);
  if (const auto input = place_of(operand, forward.inputs)) {
    return g.has_input(*input) ? g.input(*input) : ValueId();
  }
  const auto output = place_of(operand, forward.outputs);
  return g.saved_output(*output, {g.type(g.input(0)).element, std::nullopt, {}});
}

/// Adds the gradient operator. Turns the forward node into its training form, which also returns
/// the values that the gradient operator reads, for every time step.
/// @param training type of the training form. The training form of RNN is RNN itself, because its
/// hidden states suffice.
void recurrent_gradient(GradientContext& g, const char* training, const char* gradient) {
  const CellSignature& backward = cell_signature(gradient);
  require_slopes(g, backward.kind);
  const CellSignature& forward = cell_signature(training);
  Node& node = g.forward_node();
  if (node.op_type != training) node.domain = microsoft_domain;
  node.op_type = training;
  std::vector<ValueId> inputs;
  for (const CellOperand each : backward.inputs) {
    inputs.push_back(gradient_operand(g, forward, each));
  }
  while (!inputs.back().valid()) inputs.pop_back();
  std::vector<std::size_t> places;
  std::vector<bool> wanted;
  for (const CellOperand each : backward.outputs) {
    places.push_back(*place_of(each, forward.inputs));
    wanted.push_back(g.wants(places.back()));
  }
  const std::vector<ValueId> grads =
      g.add_microsoft(gradient, std::move(inputs), wanted, g.attributes());
  for (std::size_t i = 0; i < grads.size(); ++i) {
    if (wanted[i]) g.give(places[i], grads[i]);
  }
}

void rnn_gradient(GradientContext& g) { recurrent_gradient(g, "RNN", "RNNGrad"); }
void gru_gradient(GradientContext& g) { recurrent_gradient(g, "GRUTraining", "GRUGrad"); }
void lstm_gradient(GradientContext& g) { recurrent_gradient(g, "LSTMTraining", "LSTMGrad"); }

constexpr const char* plain_operands =
    "X:float[3] W=X[3] R=X[3] B?=X[2] sequence_lens?:int32[1] initial_h?=X[3] -> Y? Y_h?";
constexpr const char* gru_training_operands =
    "X:float[3] W=X[3] R=X[3] B?=X[2] sequence_lens?:int32[1] initial_h?=X[3] -> Y? Y_h? gates?";
constexpr const char* lstm_operands =
    "X:float[3] W=X[3] R=X[3] B?=X[2] sequence_lens?:int32[1] initial_h?=X[3] initial_c?=X[3] "
    "P?=X[2] -> Y? Y_h? Y_c?";
constexpr const char* lstm_training_operands =
    "X:float[3] W=X[3] R=X[3] B?=X[2] sequence_lens?:int32[1] initial_h?=X[3] initial_c?=X[3] "
    "P?=X[2] -> Y? Y_h? Y_c? all_cells? gates?";
constexpr const char* rnn_grad_operands =
    "X:float[3] W=X[3] R=X[3] sequence_lens?:int32[1] initial_h?=X[3] Y=X[4] dY?=X[4] dY_h?=X[3] "
    "-> dX? dW? dR? dB? dInitial_h?";
constexpr const char* gru_grad_operands =
    "X:float[3] W=X[3] R=X[3] B?=X[2] sequence_lens?:int32[1] initial_h?=X[3] Y=X[4] gates=X[4] "
    "dY?=X[4] dY_h?=X[3] -> dX? dW? dR? dB? dInitial_h?";
constexpr const char* lstm_grad_operands =
    "X:float[3] W=X[3] R=X[3] sequence_lens?:int32[1] initial_h?=X[3] initial_c?=X[3] Y=X[4] "
    "all_cells=X[4] gates=X[4] dY?=X[4] dY_h?=X[3] dY_c?=X[3] P?=X[2] -> "
    "dX? dW? dR? dB? dInitial_h? dInitial_c? dP?";

Op recurrent(std::string type, std::vector<std::int64_t> versions, const char* operands,
             void (*gradient)(GradientContext&)) {
  return {.type = std::move(type),
          .versions = std::move(versions),
          .operands = operands,
          .infer = infer_recurrent,
          .gradient = gradient,
          .flops = recurrent_flops,
          .unit = ComputeUnit::matrix};
}

}  // namespace

void add_recurrent_ops(OpRegistry& registry) {
  registry.add(recurrent("RNN", {1, 7, 14, 22}, plain_operands, rnn_gradient));
  registry.add(recurrent("GRU", {1, 3, 7, 14, 22}, plain_operands, gru_gradient));
  registry.add(recurrent("LSTM", {1, 7, 14, 22}, lstm_operands, lstm_gradient));
  registry.add(microsoft(recurrent("GRUTraining", {}, gru_training_operands, gru_gradient)));
  registry.add(microsoft(recurrent("LSTMTraining", {}, lstm_training_operands, lstm_gradient)));
  for (const auto& [type, operands] : {std::pair("RNNGrad", rnn_grad_operands),
                                       {"GRUGrad", gru_grad_operands},
                                       {"LSTMGrad", lstm_grad_operands}}) {
    Op grad = microsoft(recurrent(type, {}, operands, nullptr));
    grad.flops = recurrent_grad_flops;
    registry.add(std::move(grad));
  }
}

}  // namespace stashscope
