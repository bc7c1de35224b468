// FusedAttention on devices: one kernel, which takes the scores in tiles.

#include "core/run/cuda/attention/fused_attention.h"

#include <algorithm>

#include "core/run/cuda/attention/kernels.h"

namespace stashscope::cuda {

void add_attention(const AttentionPlan& plan, const AttentionTensor& result,
                   const AttentionTensor& sums, Lowered& lowered) {
  const std::int64_t columns = plan.values().stack.columns;
  const std::int64_t width = plan.width_for(columns);
  const std::int64_t slices = std::max<std::int64_t>(1, AttentionPlan::tiles(columns, width));
  const std::int64_t blocks = plan.entries() * plan.row_tiles() * slices;
  if (blocks == 0) return;
  CallText text;
  const std::vector<std::string> operands = {AttentionPlan::reads(plan.queries(), text),
                                             AttentionPlan::reads(plan.key_rows(), text),
                                             AttentionPlan::reads(plan.values(), text),
                                             AttentionPlan::writes(result, text),
                                             AttentionPlan::writes(sums, text),
                                             plan.steps_object(text),
                                             plan.dropout_object()};
  lowered.add(
      text.call(invocation("attend", arguments_of(plan.shape(), width, plan.repeats()), operands),
                {blocks, attention_threads}));
}

Lowered lower_fused_attention(const LoweringContext& context) {
  const AttentionPlan plan(context, fused_places::forward);
  Lowered lowered;
  const bool has_sums = context.has_output(1);
  const std::int64_t sum_rows = has_sums ? context.out(1).dim(-1) : plan.rows();
  AttentionTensor sums = plan.sums(sum_rows, output(1));
  sums.present = has_sums;
  const bool is_padded = sum_rows != plan.rows();
  if (is_padded && context.out(1).bytes() > 0) {
    lowered.add(ZeroCall{output(1), context.out(1).bytes()});
  }
  add_attention(plan, plan.result(context.out().element, context.out().dims, output()), sums,
                lowered);
  return lowered;
}

}  // namespace stashscope::cuda
