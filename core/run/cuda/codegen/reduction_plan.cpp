#include "core/run/cuda/codegen/reduction_plan.h"

#include <algorithm>

#include "core/base/units.h"
#include "core/run/cuda/codegen/box.h"
#include "core/run/cuda/codegen/powers.h"
#include "core/run/cuda/codegen/walk_text.h"
#include "core/run/shared/walk.h"

namespace stashscope::cuda {

namespace {

using Dims = std::vector<std::int64_t>;

/// About the number of blocks of a reduction that a large device runs at once. A reduction that
/// would have fewer than half as many blocks is split into slices, if each result has enough items.
/// The number is a choice; it was not measured.
constexpr std::int64_t wanted_reduction_blocks = 1024;

constexpr std::int64_t block_threads = 256;
constexpr std::int64_t warp = 32;

constexpr std::size_t data = 0;
constexpr std::size_t result = 1;

std::int64_t pieces(std::int64_t count, std::int64_t size) {
  return std::max<std::int64_t>(1, (count + size - 1) / size);
}

std::string text_of(const Box<2>& axes) {
  WalkText walk;
  for (std::size_t i = axes.size(); i-- > 0;) walk.add(axes[i].size, axes[i].steps[data]);
  return walk.text();
}

Dims strides_of(const Box<2>& axes) {
  Dims strides;
  for (const BoxAxis<2>& axis : axes) strides.push_back(axis.steps[data]);
  return strides;
}

/// The axes of a reduction; adjacent axes are merged where one stride covers both.
struct ReducedBox {
  Box<2> kept;
  Box<2> reduced;
  std::int64_t inner = 1;  ///< size of the innermost axis, which is in neither `kept` nor `reduced`
  bool inner_is_kept = false;

  ReducedBox(const Dims& dims, const Dims& kept_dims) {
    Box<2> box = merged_box<2>(
        dims, {kernels::dense_strides(dims), kernels::broadcast_strides(dims, kept_dims)});
    if (!box.empty()) {
      inner = box.back().size;
      inner_is_kept = box.back().steps[result] != 0;
      box.pop_back();
    }
    for (const BoxAxis<2>& axis : box) (axis.steps[result] != 0 ? kept : reduced).push_back(axis);
  }
};

/// A kernel call without its operands. The kernel computes `slices` partial results per result.
struct ReductionCall {
  std::string function;
  std::string shape;
  std::int64_t blocks = 1;
  std::int64_t slices = 1;
};

/// The number of slices into which the `items` of each result are divided to occupy the device; a
/// launch has `blocks` blocks per slice. If there are several slices, each has at least `least`
/// items.
std::int64_t wanted_slices(std::int64_t blocks, std::int64_t items, std::int64_t least) {
  if (2 * blocks >= wanted_reduction_blocks) return 1;
  return std::max<std::int64_t>(1, std::min(wanted_reduction_blocks / blocks, items / least));
}

/// The largest number of elements per access, at most `widest`, that divides the start and the
/// length of every contiguous run.
std::int64_t width_of_runs(const ReducedBox& box, std::int64_t widest) {
  Dims counts = strides_of(box.kept);
  for (const std::int64_t stride : strides_of(box.reduced)) counts.push_back(stride);
  counts.push_back(box.inner);
  return even_width(widest, counts);
}

/// The number of elements per access to rows. In long runs, wide accesses pay off even if a run
/// starts at an unaligned position.
std::int64_t row_width(const ReducedBox& box, std::int64_t widest) {
  return box.inner >= 64 * widest ? widest : width_of_runs(box, widest);
}

ReductionCall row_call(const ReducedBox& box, std::int64_t widest, bool slices) {
  const std::int64_t kept = elements_of(box.kept);
  const std::int64_t outer = elements_of(box.reduced);
  const std::int64_t items = outer * box.inner;
  const std::int64_t width = row_width(box, widest);
  const bool is_long = items > 2 * warp * warp;
  const std::int64_t threads =
      is_long ? block_threads : std::min(warp, power_of_two(pieces(items, width)));
  const std::int64_t lanes = std::min(threads, power_of_two(pieces(box.inner, width)));
  const std::int64_t wanted =
      slices && is_long ? wanted_slices(kept, items, 4 * block_threads * width) : 1;
  const std::int64_t outer_chunk =
      pieces(outer, std::min(std::max<std::int64_t>(1, outer), wanted));
  const std::int64_t inner_wanted = pieces(wanted, pieces(outer, outer_chunk));
  const std::int64_t inner_chunk = rounded_up(
      pieces(box.inner, std::min(inner_wanted, pieces(box.inner, lanes * width))), width);
  const bool is_even = width == width_of_runs(box, width);
  for (const std::int64_t count : {kept, outer, inner_chunk}) require_int(count);
  ReductionCall call{
      "reduce_rows",
      with_arguments(
          "RowReduction",
          {std::to_string(kept), text_of(box.kept), std::to_string(outer), text_of(box.reduced),
           std::to_string(box.inner), std::to_string(block_threads), std::to_string(threads),
           std::to_string(lanes), std::to_string(width), std::to_string(outer_chunk),
           std::to_string(inner_chunk), is_even ? "true" : "false"})};
  call.slices = pieces(outer, outer_chunk) * pieces(box.inner, inner_chunk);
  call.blocks = pieces(kept, block_threads / threads) * call.slices;
  return call;
}

ReductionCall column_call(const ReducedBox& box, std::int64_t widest, bool slices) {
  constexpr std::int64_t items_of_group = 8;
  const std::int64_t outer = elements_of(box.kept);
  const std::int64_t items = elements_of(box.reduced);
  const std::int64_t width = width_of_runs(box, widest);
  const std::int64_t most_lanes = std::min(block_threads, power_of_two(pieces(box.inner, width)));
  const std::int64_t wanted_groups =
      std::min<std::int64_t>(8, power_of_two(items / items_of_group + 1) / 2);
  const std::int64_t groups =
      std::max({block_threads / most_lanes, wanted_groups, std::int64_t{1}});
  const std::int64_t lanes = block_threads / groups;
  const std::int64_t blocks = pieces(box.inner, lanes * width) * outer;
  const std::int64_t wanted = slices ? wanted_slices(blocks, items, items_of_group * groups) : 1;
  const std::int64_t chunk = pieces(items, wanted);
  for (const std::int64_t count : {outer, items, box.inner}) require_int(count);
  return {
      "reduce_columns",
      with_arguments("ColumnReduction",
                     {std::to_string(outer), text_of(box.kept), std::to_string(box.inner),
                      std::to_string(items), text_of(box.reduced), std::to_string(block_threads),
                      std::to_string(lanes), std::to_string(width), std::to_string(chunk)}),
      blocks * pieces(items, chunk), pieces(items, chunk)};
}

ReductionCall call_for(const Dims& dims, const Dims& kept, std::int64_t widest, bool slices) {
  const ReducedBox box(dims, kept);
  return box.inner_is_kept ? column_call(box, widest, slices) : row_call(box, widest, slices);
}

void add_call(Lowered& lowered, const ReductionCall& call, const ReductionTexts& texts) {
  CallText text;
  const std::string from = texts.source(text);
  const std::string to = texts.sink(text);
  lowered.add(text.call(
      with_arguments(call.function, {call.shape, texts.reducer}) + "(" + from + ", " + to + ")",
      {call.blocks, static_cast<int>(block_threads)}));
}

}  // namespace

void add_reduction(Lowered& lowered, const Dims& dims, const Dims& kept,
                   const ReductionTexts& texts) {
  const ReductionCall call = call_for(dims, kept, texts.width, true);
  if (call.slices == 1) return add_call(lowered, call, texts);
  const std::int64_t results = element_count(kept);
  const std::string state = texts.reducer + "::State";
  const Operand parts = lowered.add_scratch(call.slices * results * texts.state_bytes);
  ReductionTexts first = texts;
  first.sink = [&](CallText& text) {
    return "Results<" + state + ">{" + text.pointer(state, parts) + "}";
  };
  add_call(lowered, call, first);
  ReductionTexts second = texts;
  second.reducer = with_arguments("Merging", {texts.reducer});
  second.width = 16 / texts.state_bytes;
  second.source = [&](CallText& text) {
    return with_arguments("Items", {state, state}) + "{" + text.pointer("const " + state, parts) +
           "}";
  };
  add_call(lowered, call_for({call.slices, results}, {1, results}, second.width, false), second);
}

}  // namespace stashscope::cuda
