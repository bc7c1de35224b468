#include "core/run/cpu/recurrent/recurrent_kernels.h"

#include "core/run/cpu/recurrent/sequence.h"
#include "core/run/shared/numbers.h"

namespace stashscope::cpu {

namespace {

/// The number of steps of each sequence; empty if every sequence has all steps. Throws a run Error
/// for a length that is not between 0 and `steps`.
std::vector<std::int64_t> lengths_of(const KernelContext& context, const CellSignature& signature,
                                     std::int64_t steps) {
  const auto input = place_of(CellOperand::lengths, signature.inputs);
  if (!input || !context.has_input(*input)) return {};
  std::vector<std::int64_t> lengths = as_integers(context.in(*input));
  for (const std::int64_t length : lengths) {
    if (length >= 0 && length <= steps) continue;
    fail_run("", "the sequence length " + std::to_string(length) + " is not between 0 and " +
                     std::to_string(steps));
  }
  return lengths;
}

CellWork work_of(const KernelContext& context, const CellSignature& signature) {
  CellWork work;
  work.kind = signature.kind;
  work.attributes = read_recurrence(signature.kind, context.attributes());
  work.stored = context.in(0).element;
  SequenceShape& shape = work.shape;
  shape.batch_first = work.attributes.batch_first;
  shape.starts_reversed = work.attributes.starts_reversed;
  shape.directions = work.attributes.directions;
  shape.steps = context.in(0).dim(shape.batch_first ? 1 : 0);
  shape.batch = context.in(0).dim(shape.batch_first ? 0 : 1);
  shape.input = context.in(0).dim(2);
  shape.hidden = context.in(2).dim(2);
  shape.gates = gates_of(signature.kind);
  shape.lengths = lengths_of(context, signature, shape.steps);
  return work;
}

/// The operands of a node as numbers of type C, converted where memory holds another type.
template <class C>
class NumberOperands {
 public:
  NumberOperands(const KernelContext& context, const CellSignature& signature) {
    for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
      const CellOperand operand = signature.inputs[i];
      if (!context.has_input(i) || operand == CellOperand::lengths) continue;
      inputs_.push_back(std::make_unique<Converted<C>>(context.in(i)));
      tensors_.operands[static_cast<std::size_t>(operand)] = inputs_.back()->data();
    }
    for (std::size_t i = 0; i < signature.outputs.size(); ++i) {
      if (context.has_output(i)) add_result(context.out(i), signature.outputs[i]);
    }
  }

  const CellTensors<C>& tensors() const { return tensors_; }

  /// Converts the results to the types of their tensors.
  void store() const {
    for (const auto& [tensor, items] : scratch_) store_numbers(items, *tensor);
  }

 private:
  void add_result(const TensorView& tensor, CellOperand operand) {
    C*& place = tensors_.results[static_cast<std::size_t>(operand)];
    if (tensor.element == element_of<C>) {
      place = tensor.as<C>().data();
      return;
    }
    scratch_.emplace_back(&tensor, static_cast<std::size_t>(tensor.elements()));
    place = scratch_.back().second.data();
  }

  CellTensors<C> tensors_;
  std::vector<std::unique_ptr<Converted<C>>> inputs_;
  std::vector<std::pair<const TensorView*, std::vector<C>>> scratch_;
};

template <bool backward>
void recurrent(const KernelContext& context) {
  const CellSignature& signature = cell_signature(context.node.op_type);
  const CellWork work = work_of(context, signature);
  with_real(work.stored, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const NumberOperands<C> operands(context, signature);
    if constexpr (backward) {
      run_cells_backward(work, operands.tensors());
    } else {
      run_cells(work, operands.tensors());
    }
    operands.store();
  });
}

}  // namespace

void add_recurrent_kernels(KernelRegistry& registry) {
  for (const char* type : {"RNN", "GRU", "LSTM"}) registry.add("", type, {recurrent<false>});
  for (const char* type : {"GRUTraining", "LSTMTraining"}) {
    registry.add("com.microsoft", type, {recurrent<false>});
  }
  for (const char* type : {"RNNGrad", "GRUGrad", "LSTMGrad"}) {
    registry.add("com.microsoft", type, {recurrent<true>});
  }
}

}  // namespace stashscope::cpu
