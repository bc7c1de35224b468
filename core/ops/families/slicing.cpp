// Operators that take parts of tensors or join tensors: Slice, Split, Concat and Trilu.

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

struct SliceBounds {
  Contents starts;  ///< empty if starts or ends are unknown; then `ends` is empty, too
  Contents ends;
  std::vector<std::int64_t> axes;
  std::vector<std::int64_t> steps;
};

Contents as_contents(const std::vector<std::int64_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

/// The bounds of a slice whose axes are known, but whose starts or ends are not. Starts and ends
/// stay empty. The sizes of the result are unknown along these axes only.
SliceBounds with_unknown_positions(SliceBounds bounds, ShapeContext& context, std::int64_t rank) {
  for (std::int64_t& axis : bounds.axes) axis = context.axis(axis, rank);
  return bounds;
}

/// The bounds are attributes before version 10, and since then inputs: starts, ends, axes and
/// steps. Returns nothing if the axes or the steps are not known.
/// @param first the input with the starts; 0: attributes
std::optional<SliceBounds> read_bounds(ShapeContext& context, std::size_t first,
                                       std::int64_t rank) {
  SliceBounds bounds;
  if (first == 0) {
    bounds.starts = as_contents(context.attributes().require_integers("starts"));
    bounds.ends = as_contents(context.attributes().require_integers("ends"));
    bounds.axes = context.attributes().integers("axes");
  } else {
    const Contents* const starts = context.contents(first);
    const Contents* const ends = context.contents(first + 1);
    const bool known = starts != nullptr && ends != nullptr;
    if (!known && !context.has_input(first + 2)) return std::nullopt;
    if (known) bounds.starts = *starts;
    if (known) bounds.ends = *ends;
    for (const auto& [input, list] :
         {std::pair(first + 2, &bounds.axes), std::pair(first + 3, &bounds.steps)}) {
      if (!context.has_input(input)) continue;
      const auto numbers = context.integers(input);
      if (!numbers) return std::nullopt;
      *list = *numbers;
    }
    if (!known) return with_unknown_positions(std::move(bounds), context, rank);
  }
  // The limit on steps changes no result: a step larger than the axis takes one position.
  constexpr std::int64_t furthest = std::numeric_limits<std::int32_t>::max();
  for (std::int64_t& step : bounds.steps) step = std::clamp(step, -furthest, furthest);
  if (bounds.axes.empty()) bounds.axes = all_axes(std::ssize(bounds.starts));
  if (bounds.steps.empty()) bounds.steps.assign(bounds.starts.size(), 1);
  if (bounds.ends.size() != bounds.starts.size() || bounds.axes.size() != bounds.starts.size() ||
      bounds.steps.size() != bounds.starts.size()) {
    context.fail("its starts, ends, axes and steps have different lengths");
  }
  for (std::int64_t& axis : bounds.axes) axis = context.axis(axis, rank);
  return bounds;
}

bool is_far(const Expr& position) {
  const auto number = position.integer();
  return number && *number >= std::numeric_limits<std::int32_t>::max();
}

bool is_far_back(const Expr& position) {
  const auto number = position.integer();
  return number && *number <= std::numeric_limits<std::int32_t>::min();
}

/// `position` clamped to [low, high]; a negative position counts from the end. Nothing if the sign
/// of `position` is unknown. The size is not added to positions far outside, because the sum could
/// overflow.
std::optional<Expr> clamped(const Expr& position, const Expr& size, const Expr& low,
                            const Expr& high) {
  if (is_far(position)) return high;
  if (is_far_back(position)) return low;
  if (is_nonnegative(position)) return maximum(minimum(position, high), low);
  if (is_positive(-position)) return maximum(minimum(position + size, high), low);
  return std::nullopt;
}

/// The number of positions of an axis that a slice takes; nothing if it is not known. (ONNX, Slice:
/// positions are clamped to the axis)
std::optional<Expr> sliced_size(const Expr& size, const Expr& start, const Expr& end,
                                std::int64_t step) {
  const Expr low = step > 0 ? 0 : -1;
  const Expr high = step > 0 ? size : size - Expr(1);
  const auto from = clamped(start, size, low, high);
  const auto to = clamped(end, size, low, high);
  if (!from || !to) return std::nullopt;
  const Expr taken = step > 0 ? *to - *from : *from - *to;
  return ceil_divide(maximum(taken, 0), step > 0 ? step : -step);
}

/// The positions of an axis that a slice takes; nothing when its bounds are not numbers.
std::optional<std::vector<std::int64_t>> taken_positions(std::int64_t size, const Expr& start,
                                                         const Expr& end, std::int64_t step) {
  if (!start.integer() || !end.integer()) return std::nullopt;
  const auto within = [&](const Expr& position, std::int64_t low, std::int64_t high) {
    const std::int64_t at = *position.integer();
    return std::clamp(at < 0 ? at + size : at, low, high);
  };
  std::vector<std::int64_t> taken;
  if (step > 0) {
    const std::int64_t to = within(end, 0, size);
    for (std::int64_t i = within(start, 0, size); i < to; i += step) taken.push_back(i);
  } else {
    const std::int64_t to = is_far_back(end) ? -1 : within(end, -1, size - 1);
    for (std::int64_t i = within(start, -1, size - 1); i > to; i += step) taken.push_back(i);
  }
  return taken;
}

/// Slices known elements when the bounds are known.
void slice_contents(ShapeContext& context, const SliceBounds& bounds) {
  const Contents* const items = context.contents(0);
  auto offsets = element_offsets(context.shape(0));
  if (items == nullptr || !offsets) return;
  for (std::size_t i = 0; i < bounds.axes.size(); ++i) {
    std::vector<std::int64_t>& along = (*offsets)[static_cast<std::size_t>(bounds.axes[i])];
    const auto taken =
        taken_positions(std::ssize(along), bounds.starts[i], bounds.ends[i], bounds.steps[i]);
    if (!taken) return;
    std::vector<std::int64_t> kept;
    for (const std::int64_t position : *taken) {
      kept.push_back(along[static_cast<std::size_t>(position)]);
    }
    along = std::move(kept);
  }
  context.set_contents(0, pick(*items, *offsets));
}

bool has_positions(const SliceBounds& bounds) { return bounds.starts.size() == bounds.axes.size(); }

Shape sliced_shape(ShapeContext& context, Shape shape, const SliceBounds& bounds) {
  const bool is_known = has_positions(bounds);
  for (std::size_t i = 0; i < bounds.axes.size(); ++i) {
    if (is_known && bounds.steps[i] == 0) context.fail("a slice step is 0");
    Expr& dim = shape[static_cast<std::size_t>(bounds.axes[i])];
    const auto size = is_known ? sliced_size(dim, bounds.starts[i], bounds.ends[i], bounds.steps[i])
                               : std::nullopt;
    dim = size ? *size : context.data_dependent_dim(bounds.axes[i], dim);
  }
  return shape;
}

void infer_slice(ShapeContext& context) {
  context.set_element(0, context.element(0));
  Shape shape = context.shape(0);
  const auto bounds = read_bounds(context, context.version() < 10 ? 0 : 1, context.rank(0));
  if (!bounds) {
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      shape[axis] = context.data_dependent_dim(static_cast<std::int64_t>(axis), shape[axis]);
    }
    context.set_shape(0, std::move(shape));
    return;
  }
  context.set_shape(0, sliced_shape(context, std::move(shape), *bounds));
  if (has_positions(*bounds)) slice_contents(context, *bounds);
}

/// (gradient, shape, starts, ends, axes, steps) -> gradient of the whole tensor
void infer_slice_grad(ShapeContext& context) {
  infer_shaped_by(context, 1, 0);
  const Shape& data = *context.outputs()[0].type.shape;
  const auto bounds = read_bounds(context, 2, std::ssize(data));
  if (bounds && has_positions(*bounds)) {
    context.require_shape(0, sliced_shape(context, data, *bounds));
  }
}

void slice_gradient(GradientContext& g) {
  std::vector<ValueId> inputs = {g.gradient(), g.shape_of(g.input(0))};
  if (g.opset() < 10) {
    for (const char* name : {"starts", "ends", "axes"}) {
      const Integers numbers = g.attributes().integers(name);
      if (!numbers.empty()) inputs.push_back(g.int64s(numbers));
    }
  } else {
    for (std::size_t i = 1; i < g.node().inputs.size(); ++i) inputs.push_back(g.input(i));
  }
  g.give(0, g.add_microsoft("SliceGrad", std::move(inputs)));
}

/// The sizes of equal parts; the last part may be smaller.
Shape equal_parts(const Expr& size, std::size_t parts) {
  const Expr part = ceil_divide(size, static_cast<std::int64_t>(parts));
  Shape result(parts, part);
  result.back() = size - part * Expr(static_cast<std::int64_t>(parts) - 1);
  return result;
}

/// The sizes of the parts: attribute or input `split`, or equal parts; nothing if the input's
/// elements are not known.
std::optional<Shape> split_sizes(ShapeContext& context, const Expr& size) {
  const std::size_t parts = context.output_count();
  std::vector<std::int64_t> sizes = context.attributes().integers("split");
  if (context.version() >= 13 && context.has_input(1)) {
    const Contents* const known = context.contents(1);
    if (known == nullptr) return std::nullopt;
    return Shape(known->begin(), known->end());
  }
  if (!sizes.empty()) return Shape(sizes.begin(), sizes.end());
  return equal_parts(size, parts);
}

void infer_split(ShapeContext& context) {
  for (std::size_t i = 0; i < context.output_count(); ++i) {
    context.set_element(i, context.element(0));
  }
  const std::int64_t axis = context.axis(context.attributes().integer("axis", 0), context.rank(0));
  const Expr size = context.dim(0, axis);
  const auto sizes = split_sizes(context, size);
  if (sizes && sizes->size() != context.output_count()) {
    context.fail("has " + std::to_string(sizes->size()) + " part sizes for " +
                 std::to_string(context.output_count()) + " outputs");
  }
  Expr total = 0;
  for (std::size_t i = 0; i < context.output_count(); ++i) {
    Shape shape = context.shape(0);
    shape[static_cast<std::size_t>(axis)] = sizes ? (*sizes)[i] : context.unknown_dim();
    total = total + shape[static_cast<std::size_t>(axis)];
    context.set_shape(i, std::move(shape));
  }
  if (sizes) context.same_dim(total, size, "the sum of the parts and the size of the axis");
  const Contents* const items = context.contents(0);
  if (items == nullptr || context.rank(0) != 1 || !sizes) return;
  auto next = items->begin();
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    const auto count = (*sizes)[i].integer();
    if (!count || *count > items->end() - next) return;
    context.set_contents(i, Contents(next, next + *count));
    next += *count;
  }
}

/// The type of an omitted part.
TensorType part_type(const GradientContext& g, std::size_t part) {
  TensorType type = g.type(g.input(0));
  const std::size_t parts = g.node().outputs.size();
  std::int64_t axis = g.attributes().integer("axis", 0);
  if (axis < 0) axis += std::ssize(*type.shape);
  Expr& along = (*type.shape)[static_cast<std::size_t>(axis)];
  std::vector<std::int64_t> sizes = g.attributes().integers("split");
  if (g.opset() >= 13 && g.has_input(1)) {
    const auto known = g.integers(1);
    if (!known || known->size() != parts)
      fail_gradient("omits an output of unknown size that its gradient needs");
    sizes = *known;
  }
  along = sizes.size() == parts ? Expr(sizes[part]) : equal_parts(along, parts)[part];
  return type;
}

/// An output that has no gradient, or that the node omits, contributes zeros.
void split_gradient(GradientContext& g) {
  std::vector<ValueId> parts;
  for (std::size_t i = 0; i < g.node().outputs.size(); ++i) {
    if (!g.node().outputs[i].valid()) g.saved_output(i, part_type(g, i));
    parts.push_back(g.gradient(i));
  }
  g.give(0, g.add("Concat", std::move(parts), {{"axis", g.attributes().integer("axis", 0)}}));
}

/// Joins known elements. For each position along the axes before `axis`, the result takes one piece
/// of each input.
void concat_contents(ShapeContext& context, std::size_t axis) {
  std::int64_t pieces = 1;
  for (std::size_t i = 0; i < axis; ++i) {
    const auto size = context.shape(0)[i].integer();
    if (!size || *size == 0) return;
    pieces *= *size;
  }
  Contents joined;
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    for (std::size_t i = 0; i < context.input_count(); ++i) {
      const Contents* const items = context.contents(i);
      if (items == nullptr) return;
      const std::int64_t length = std::ssize(*items) / pieces;
      const auto begin = items->begin() + piece * length;
      joined.insert(joined.end(), begin, begin + length);
    }
  }
  context.set_contents(0, std::move(joined));
}

void infer_concat(ShapeContext& context) {
  context.set_element(0, context.element(0));
  if (context.input_count() == 0) context.fail("has no inputs");
  const std::int64_t axis =
      context.axis(context.version() < 4 ? context.attributes().integer("axis", 1)
                                         : context.attributes().require_integer("axis"),
                   context.rank(0));
  Shape shape = context.shape(0);
  for (std::size_t i = 1; i < context.input_count(); ++i) {
    context.require_same_element(0, i);
    if (context.rank(i) != context.rank(0)) context.fail("its inputs have different ranks");
    for (std::int64_t at = 0; at < context.rank(0); ++at) {
      Expr& dim = shape[static_cast<std::size_t>(at)];
      dim = at == axis ? dim + context.dim(i, at)
                       : context.same_dim(dim, context.dim(i, at),
                                          "the dimensions besides the concatenated axis");
    }
  }
  context.set_shape(0, std::move(shape));
  concat_contents(context, static_cast<std::size_t>(axis));
}

/// Like Concat, but also returns each input's length along the axis. (ONNX Runtime, ConcatTraining)
void infer_concat_training(ShapeContext& context) {
  infer_concat(context);
  context.set(1, ElementType::int64, {static_cast<std::int64_t>(context.input_count())});
}

/// If all lengths along the axis are numbers, one Split makes the gradients. Otherwise, a Slice
/// makes each gradient; its bounds are running sums of the lengths.
void concat_gradient(GradientContext& g) {
  const std::size_t count = g.node().inputs.size();
  std::int64_t axis = g.attributes().integer("axis", 1);
  if (axis < 0) axis += g.rank(g.output());
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 0; i < count; ++i) {
    const auto length = g.shape(g.input(i))[static_cast<std::size_t>(axis)].integer();
    if (length) lengths.push_back(*length);
  }
  if (lengths.size() == count) {
    const std::vector<ValueId> parts =
        g.opset() >= 13
            ? g.add_many("Split", {g.gradient(), g.int64s(lengths)}, count, {{"axis", axis}})
            : g.add_many("Split", {g.gradient()}, count, {{"axis", axis}, {"split", lengths}});
    for (std::size_t i = 0; i < count; ++i) {
      if (g.wants(i)) g.give(i, parts[i]);
    }
    return;
  }
  ValueId start = g.int64s({0});
  for (std::size_t i = 0; i < count; ++i) {
    const ValueId length = g.add("Gather", {g.shape_of(g.input(i)), g.int64s({axis})});
    const ValueId end = g.add("Add", {start, length});
    if (g.wants(i)) g.give(i, g.add("Slice", {g.gradient(), start, end, g.int64s({axis})}));
    start = end;
  }
}

void trilu_gradient(GradientContext& g) {
  std::vector<ValueId> inputs = {g.gradient()};
  if (g.has_input(1)) inputs.push_back(g.input(1));
  g.give(0, g.add("Trilu", std::move(inputs), g.attributes()));
}

}  // namespace

void add_slicing_ops(OpRegistry& registry) {
  Op slice = data_movement("Slice", {1, 10, 11, 13},
                           {{1, "data[1..] -> output"},
                            {10,
                             "data[1..] starts:index[1] ends:index[1] axes?:index[1] "
                             "steps?:index[1] -> output"}},
                           infer_slice, slice_gradient, {{{1}, {}}, {{10, 11, 13}, {1, 2, 3, 4}}});
  slice.bytes = bytes_of_picked;
  registry.add(std::move(slice));
  registry.add(data_movement("Split", {1, 2, 11, 13, 18},
                             {{1, "input[1..] split?[1] -> parts+"},
                              {2, "input[1..] -> parts+"},
                              {13, "input[1..] split?:int64[1] -> parts+"}},
                             infer_split, split_gradient, {{{2, 11}, {}}, {{1, 13, 18}, {1}}}));
  registry.add(data_movement("Concat", {1, 4, 11, 13}, "inputs+=inputs[1..] -> result",
                             infer_concat, concat_gradient, {}));
  registry.add(
      microsoft(data_movement("ConcatTraining", {}, "inputs+=inputs[1..] -> result lengths?",
                              infer_concat_training, concat_gradient, {{{1}, {}}})));
  Op trilu = data_movement("Trilu", {14}, "input[2..] k?:int64[0..1] -> output",
                           infer_like_first_input, trilu_gradient, {{{14}, {1}}});
  trilu.reference_in_place = true;
  registry.add(std::move(trilu));
  registry.add(microsoft({.type = "SliceGrad",
                          .operands = "dY:float shape:int64[1] starts:index[1] ends:index[1] "
                                      "axes?:index[1] steps?:index[1] -> dX",
                          .infer = infer_slice_grad,
                          .flops = no_flops}));
}

}  // namespace stashscope
