// Dropout and its fused and bit-packed forms.

#include "core/ops/families/dropout.h"
#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/cuda/codegen/expression.h"
#include "core/run/cuda/codegen/pointwise.h"
#include "core/run/cuda/codegen/strided_copy.h"
#include "core/run/cuda/ops/families.h"
#include "core/run/shared/dispatch.h"

namespace stashscope::cuda {

namespace {

using Operands = std::vector<std::string>;

/// The elements that a dropout keeps, and the factor by which it scales them.
class Selection {
 public:
  /// @param ratio_input index of the operand `ratio`; the next operand is `training_mode`. Dropout
  /// before version 12 has the attribute `ratio` instead, and its version and attributes tell
  /// whether it drops.
  Selection(const LoweringContext& context, std::size_t ratio_input) : seed_(context.seed) {
    if (context.node.op_type == "Dropout" && context.version < 12) {
      ratio_ = double{context.attributes().real("ratio", 0.5F)};
      trains_ = old_dropout_trains(context.attributes(), context.version);
      return;
    }
    if (context.has_input(ratio_input)) ratio_ = known_number(context, ratio_input);
    trains_ = context.has_input(ratio_input + 1) && known_number(context, ratio_input + 1) != 0;
  }

  bool drops() const { return trains_ && ratio_ > 0; }
  DropoutTexts texts() const { return dropout_texts(seed_, drops() ? ratio_ : 0); }
  std::string scale(const LoweringContext& context) const {
    return compute_type(context.out().element) + "(" + texts().scale + ")";
  }
  /// An expression that is true if the element at `position` is kept.
  std::string keeps() const {
    const DropoutTexts made = texts();
    return made.random + ".keeps(position, " + made.threshold + ")";
  }

 private:
  static double known_number(const LoweringContext& context, std::size_t input) {
    if (!context.contents[input].present()) {
      fail_run("", "ratio and training mode must be known before the training step runs");
    }
    return kernels::as_number(context.contents[input]);
  }

  std::uint64_t seed_;
  double ratio_ = 0.5;
  bool trains_ = false;
};

std::string selected(const LoweringContext& context, const Selection& selection,
                     const std::string& item) {
  return selection.keeps() + " ? (" + item + ") * " + selection.scale(context) + " : 0";
}

template <std::size_t ratio_input>
std::string mask(const LoweringContext& context, const Operands&) {
  return Selection(context, ratio_input).keeps() + " ? 1 : 0";
}

std::string dropped(const LoweringContext& context, const Operands& operands) {
  return selected(context, Selection(context, 1), operands[0]);
}

/// Inputs (data, bias, [residual], ...). The output is dropout(data + bias) + residual.
std::string dropped_biased(const LoweringContext& context, const Operands& operands) {
  std::string item = selected(context, Selection(context, 3), operands[0] + " + " + operands[1]);
  if (!context.has_input(2)) return item;
  return "rounded<" + device_type(context.out().element) + ">(" + item + ") + " + operands[2];
}

/// Adds the call that writes the words of the mask to output 1, unless this output is left out or
/// empty. `lowered` already has the calls for output 0.
Lowered with_bits(Lowered lowered, const LoweringContext& context, const Selection& selection) {
  if (!context.has_output(1) || context.out(1).elements() == 0) return lowered;
  CallText text;
  const std::string words = text.writes(context, 1);
  const std::string elements = std::to_string(context.out().elements()) + "ULL";
  const DropoutTexts texts = selection.texts();
  lowered.add(
      text.call(call_text("write_kept_bits", {words, elements, texts.random, texts.threshold}),
                launch_of(context.out(1).elements())));
  return lowered;
}

Lowered dropout(const LoweringContext& context) {
  if (Selection(context, 1).drops()) return lower_outputs(context, {dropped, mask<1>});
  Lowered lowered = copied_input(context, 0);
  append(lowered, lower_outputs(context, {nullptr, mask<1>}));
  return lowered;
}

Lowered bitmask_dropout(const LoweringContext& context) {
  const Selection selection(context, 1);
  return with_bits(selection.drops() ? lower_outputs(context, {dropped}) : copied_input(context, 0),
                   context, selection);
}

Lowered bias_dropout(const LoweringContext& context) {
  return lower_outputs(context, {dropped_biased, mask<3>});
}

Lowered bitmask_bias_dropout(const LoweringContext& context) {
  return with_bits(lower_outputs(context, {dropped_biased}), context, Selection(context, 3));
}

/// (dy, mask, [ratio], [training mode]) -> dx, which is dy times the factor of the forward pass
/// where the mask is set, else 0.
std::string dropout_grad(const LoweringContext& context, const Operands& operands) {
  return operands[1] + " != 0 ? " + operands[0] + " * " + Selection(context, 2).scale(context) +
         " : 0";
}

Lowered bitmask_dropout_grad(const LoweringContext& context) {
  Lowered lowered;
  const std::int64_t elements = context.out().elements();
  if (elements == 0) return lowered;
  const std::int64_t width = widest_access({context.out().element});
  CallText text;
  const std::string dy = text.reads(context, 0);
  const std::string words = text.reads(context, 1);
  const std::string dx = text.writes(context);
  lowered.add(text.call(call_text("bitmask_gradient<" + std::to_string(width) + ">",
                                  {dy, words, dx, std::to_string(elements) + "ULL",
                                   Selection(context, 2).scale(context)}),
                        launch_of((elements + width - 1) / width)));
  return lowered;
}

}  // namespace

void add_dropout_kernels(CudaKernelRegistry& registry) {
  registry.add("", "Dropout", {.lower = dropout, .host_inputs = {1, 2}});
  const auto add = [&](const char* type, CudaKernel kernel) {
    registry.add("com.microsoft", type, std::move(kernel));
  };
  add("BitmaskDropout", {.lower = bitmask_dropout, .host_inputs = {1, 2}});
  add("BiasDropout", {.lower = bias_dropout, .host_inputs = {3, 4}});
  add("BitmaskBiasDropout", {.lower = bitmask_bias_dropout, .host_inputs = {3, 4}});
  add("DropoutGrad", {.expression = dropout_grad, .host_inputs = {2, 3}});
  add("BitmaskDropoutGrad", {.lower = bitmask_dropout_grad, .host_inputs = {2, 3}});
}

}  // namespace stashscope::cuda
