// FusedAttentionGrad on devices. First, if Y and log_sum_exp are no inputs, a kernel computes them
// again. A second kernel computes the dot products of the rows of dY and Y. Then one kernel follows
// for each gradient that is wanted; it computes the scores again in tiles. The gradient of a step's
// operand may need another kernel, which adds up partial sums.

#include <algorithm>

#include "core/run/cuda/attention/fused_attention.h"
#include "core/run/cuda/attention/kernels.h"
#include "core/run/cuda/codegen/element_text.h"
#include "core/run/cuda/codegen/reduction_plan.h"
#include "core/run/cuda/codegen/strided_copy.h"

namespace stashscope::cuda {

namespace {

/// About the number of blocks of attention that a large device runs at once. The number is a
/// choice; it was not measured. (docs/gpu.md states it.)
constexpr std::int64_t wanted_attention_blocks = 512;

class GradientWriter {
 public:
  explicit GradientWriter(const LoweringContext& context)
      : context_(context),
        plan_(context, fused_places::backward),
        upstream_(plan_.result(context.in(0).element, context.in(0).dims, input(0))) {}

  Lowered write() {
    find_forward();
    add_means();
    add_operand_gradient("query_gradients", {}, 0, plan_.queries(), plan_.row_tiles());
    add_operand_gradient("key_gradients", {"false"}, 1, plan_.key_rows(), plan_.key_tiles());
    add_operand_gradient("key_gradients", {"true"}, 2, plan_.values(), plan_.key_tiles());
    for (std::size_t i = 0; i < plan_.steps().size(); ++i) {
      if (plan_.steps()[i].number) add_step_gradient(i);
    }
    return std::move(lowered_);
  }

 private:
  bool has_scores() const { return plan_.entries() * plan_.rows() * plan_.keys() > 0; }

  /// Finds Y and log_sum_exp: the operands, or scratch memory that a first call fills.
  void find_forward() {
    const Dims& dims = context_.in(0).dims;
    if (context_.has_input(fused_places::result)) {
      result_ = plan_.result(context_.in(fused_places::result).element, dims,
                             input(fused_places::result));
      sums_ = plan_.sums(context_.in(fused_places::log_sum_exp).dim(-1),
                         input(fused_places::log_sum_exp));
      return;
    }
    const ElementType element = plan_.values().stack.element;
    result_ = plan_.result(element, dims,
                           lowered_.add_scratch(packed_bytes(element, element_count(dims))));
    const std::int64_t sums = plan_.entries() * plan_.rows();
    sums_ = plan_.sums(plan_.rows(), lowered_.add_scratch(packed_bytes(plan_.computed(), sums)));
    add_attention(plan_, result_, sums_, lowered_);
  }

  void add_means() {
    const std::int64_t count = plan_.entries() * plan_.rows();
    means_ = lowered_.add_scratch(packed_bytes(plan_.computed(), count));
    if (count == 0) return;
    CallText text;
    const std::vector<std::string> operands = {AttentionPlan::reads(upstream_, text),
                                               AttentionPlan::reads(result_, text),
                                               text.pointer(device_type(plan_.computed()), means_)};
    constexpr std::int64_t warp = 32;
    lowered_.add(text.call(
        invocation("attention_means", arguments_of(device_type(plan_.computed()), plan_.entries()),
                   operands),
        launch_of(count * warp, attention_threads)));
  }

  /// The text of an object ScoreGradients<...>.
  std::string operands_text(CallText& text) const {
    const std::vector<std::string> operands = {
        AttentionPlan::reads(plan_.queries(), text),
        AttentionPlan::reads(plan_.key_rows(), text),
        AttentionPlan::reads(plan_.values(), text),
        AttentionPlan::reads(upstream_, text),
        AttentionPlan::reads(sums_, text),
        text.pointer("const " + device_type(plan_.computed()), means_),
        plan_.steps_object(text),
        plan_.dropout_object()};
    return invocation("score_gradients", {plan_.shape()}, operands);
  }

  bool is_wanted(std::size_t index) const {
    return context_.has_output(index) && context_.out(index).elements() > 0;
  }
  /// Without scores, gradients are zeros.
  void add_zeros(std::size_t index) {
    lowered_.add(ZeroCall{output(index), context_.out(index).bytes()});
  }

  /// Adds the kernel that computes output `index`, the gradient of Q, K or V.
  /// @param arguments the first template arguments of the kernel
  /// @param tiles number of tiles into which the rows of a matrix are divided
  void add_operand_gradient(const std::string& function, const std::vector<std::string>& arguments,
                            std::size_t index, const AttentionTensor& of, std::int64_t tiles) {
    if (!is_wanted(index)) return;
    if (!has_scores()) return add_zeros(index);
    const std::int64_t width = plan_.width_for(of.stack.columns);
    const std::int64_t slices = AttentionPlan::tiles(of.stack.columns, width);
    AttentionTensor target = of;
    target.operand = output(index);
    CallText text;
    const std::string operands = operands_text(text);
    const std::string to = AttentionPlan::writes(target, text);
    const std::vector<std::string> all =
        arguments_of(arguments, plan_.shape(), width, of.stack.shared_entries().text());
    lowered_.add(text.call(invocation(function, all, {operands, to}),
                           {of.stack.matrices() * tiles * slices, attention_threads}));
  }

  /// Adds the calls that compute the gradient of a step's operand, unless the output is left out.
  void add_step_gradient(std::size_t number) {
    const PlannedStep& planned = plan_.steps()[number];
    const std::size_t index = fused_places::first_step_gradient + planned.step.number();
    if (!is_wanted(index)) return;
    if (!has_scores()) return add_zeros(index);
    const bool by_row = planned.number->row_stride != 0;
    const bool by_key = planned.number->key_stride != 0;
    const SharedEntries slots = planned.number->shared_entries();
    const std::int64_t all_tiles = plan_.row_tiles() * plan_.key_tiles();
    const std::int64_t own_tiles =
        (by_row ? plan_.row_tiles() : 1) * (by_key ? plan_.key_tiles() : 1);
    const std::int64_t results = plan_.entries() / plan_.scores().matrices();
    const std::int64_t items = slots.in_group() * results * (all_tiles / own_tiles);
    const std::int64_t blocks = slots.groups() * own_tiles;
    const std::int64_t splits = std::clamp<std::int64_t>(wanted_attention_blocks / blocks, 1,
                                                         std::min(items, wanted_attention_blocks));
    const std::string sums =
        with_arguments("StepSums", arguments_of(number, by_row, by_key, slots.text(),
                                                plan_.scores().shared_entries().text(), splits,
                                                context_.out(index).elements()));
    add_split_sums(sums, *planned.number, index, splits, {blocks * splits, attention_threads});
  }

  /// Adds the kernel that computes the sums of a step's operand and, if several blocks compute
  /// parts of a sum, the calls that add up these parts.
  void add_split_sums(const std::string& sums, const StepOperandPlace& place, std::size_t index,
                      std::int64_t splits, const LaunchShape& shape) {
    const std::int64_t elements = context_.out(index).elements();
    CallText text;
    const std::string operands = operands_text(text);
    std::optional<Operand> parts;
    if (splits > 1) parts = lowered_.add_scratch(splits * elements * 8);
    const std::string to = parts ? text.pointer("double", *parts) : text.writes(context_, index);
    lowered_.add(text.call(
        invocation("step_gradients", {sums, plan_.shape(), place.text()}, {operands, to}), shape));
    if (!parts) return;
    ReductionTexts texts{.reducer = "Adding<double>", .state_bytes = 8};
    texts.source = [&](CallText& call) {
      return "Items<double, double>{" + call.pointer("const double", *parts) + "}";
    };
    texts.sink = [&](CallText& call) {
      return with_arguments("Results", {device_type(context_.out(index).element)}) + "{" +
             call.writes(context_, index) + "}";
    };
    add_reduction(lowered_, {splits, elements}, {1, elements}, texts);
  }

  const LoweringContext& context_;
  AttentionPlan plan_;
  AttentionTensor upstream_;
  AttentionTensor result_;
  AttentionTensor sums_;
  Operand means_;
  Lowered lowered_;
};

}  // namespace

Lowered lower_fused_attention_gradient(const LoweringContext& context) {
  return GradientWriter(context).write();
}

}  // namespace stashscope::cuda
