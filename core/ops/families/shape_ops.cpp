// Operators that read or change a tensor's shape: Shape, Reshape, Transpose, Expand, ...

#include <algorithm>

#include "core/base/error.h"
#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

void copy_contents(ShapeContext& context) {
  if (const Contents* const known = context.contents(0)) context.set_contents(0, *known);
}

/// Output 0 shares the buffer of input 0.
std::optional<std::size_t> shares_input(const Graph&, const Node&, std::size_t output) {
  return output == 0 ? std::optional<std::size_t>(0) : std::nullopt;
}

/// The input's dims from `start` to `end`. (Both attributes exist since version 15.)
void infer_shape_of(ShapeContext& context) {
  context.set_element(0, ElementType::int64);
  const std::int64_t rank = context.rank(0);
  const auto bound = [&](const char* name, std::int64_t otherwise) {
    const std::int64_t at = context.attributes().integer(name, otherwise);
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t start = bound("start", 0);
  const std::int64_t end = std::max(start, bound("end", rank));
  const Shape& dims = context.shape(0);
  context.set_shape(0, {end - start});
  context.set_contents(0, Contents(dims.begin() + start, dims.begin() + end));
}

void infer_size_of(ShapeContext& context) {
  context.set(0, ElementType::int64, {});
  if (const auto count = element_count(context.type(0))) context.set_contents(0, {*count});
}

Expr product_of(const Shape& shape) {
  Expr product = 1;
  for (const Expr& dim : shape) product = product * dim;
  return product;
}

/// The dim that -1 stands for.
Expr remaining_dim(ShapeContext& context, const Expr& total, const Expr& others) {
  const auto all = total.integer();
  const auto rest = others.integer();
  if (rest && *rest == 0)
    context.fail("the dimension -1 has no value, because another target dimension is 0");
  if (all && rest && *all % *rest != 0) {
    context.fail("cannot reshape " + context.text(context.shape(0)) + ": " + context.text(total) +
                 " elements are not a multiple of " + context.text(others));
  }
  return floor_divide(total, others);
}

/// A dim 0 of the target copies the input's dim unless `allow_zero` is set; a dim -1 is computed.
/// (ONNX, Reshape)
Shape reshaped(ShapeContext& context, const Contents& target, bool allow_zero) {
  const Shape& data = context.shape(0);
  Shape shape;
  std::optional<std::size_t> free;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (target[i].is(-1)) {
      if (free) context.fail("more than one dimension of the target shape is -1");
      free = i;
      shape.push_back(1);
    } else if (target[i].is(0) && !allow_zero) {
      if (i >= data.size()) {
        context.leave_to_declaration("the target shape has a 0 for an axis that the data lacks");
      }
      shape.push_back(data[i]);
    } else {
      const auto number = target[i].integer();
      if (number && *number < 0)
        context.fail("the target shape has the dimension " + std::to_string(*number));
      shape.push_back(target[i]);
    }
  }
  const Expr total = product_of(data);
  if (free) {
    shape[*free] = remaining_dim(context, total, product_of(shape));
  } else {
    context.same_dim(total, product_of(shape),
                     "the numbers of elements before and after reshaping");
  }
  return shape;
}

void infer_reshape(ShapeContext& context) {
  context.set_element(0, context.element(0));
  const bool allow_zero = context.attributes().integer("allowzero", 0) != 0;
  if (context.version() < 5) {
    Contents target;
    for (const std::int64_t dim : context.attributes().integers("shape")) target.push_back(dim);
    context.set_shape(0, reshaped(context, target, false));
    return;
  }
  if (const Contents* const target = context.contents(1)) {
    context.set_shape(0, reshaped(context, *target, allow_zero));
    copy_contents(context);
    return;
  }
  const auto rank = context.dim(1, 0).integer();
  if (!rank) throw ShapeUnknown();
  Shape unknown;
  for (std::int64_t i = 0; i < *rank; ++i) {
    unknown.push_back(context.data_dependent_dim(i, std::nullopt));
  }
  context.set_shape(0, std::move(unknown));
}

void infer_flatten(ShapeContext& context) {
  context.set_element(0, context.element(0));
  const Shape& data = context.shape(0);
  const std::int64_t rank = context.rank(0);
  std::int64_t axis = context.attributes().integer("axis", 1);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) context.fail("axis is outside of rank " + std::to_string(rank));
  context.set_shape(0, {product_of(Shape(data.begin(), data.begin() + axis)),
                        product_of(Shape(data.begin() + axis, data.end()))});
}

void infer_squeeze(ShapeContext& context) {
  context.set_element(0, context.element(0));
  const Shape& data = context.shape(0);
  auto axes = read_axes(context, 1, 13, context.rank(0));
  if (!axes) throw ShapeUnknown();
  if (axes->empty()) {
    for (std::int64_t i = 0; i < std::ssize(data); ++i) {
      const Expr& dim = data[static_cast<std::size_t>(i)];
      // An unnamed size may be 1; a named size is assumed to be larger.
      if (context.is_unknown(dim)) throw ShapeUnknown();
      if (dim.is(1)) axes->push_back(i);
    }
  }
  Shape shape;
  for (std::int64_t i = 0; i < std::ssize(data); ++i) {
    const Expr& dim = data[static_cast<std::size_t>(i)];
    if (std::find(axes->begin(), axes->end(), i) == axes->end()) {
      shape.push_back(dim);
    } else if (dim.integer() && !dim.is(1)) {
      context.fail("cannot squeeze axis " + std::to_string(i) + " of " + context.text(data));
    }
  }
  context.set_shape(0, std::move(shape));
  copy_contents(context);
}

void infer_unsqueeze(ShapeContext& context) {
  context.set_element(0, context.element(0));
  std::vector<std::int64_t> raw = context.attributes().integers("axes");
  if (context.version() >= 13) {
    const auto known = context.integers(1);
    if (!known) throw ShapeUnknown();
    raw = *known;
  }
  const std::int64_t rank = context.rank(0) + std::ssize(raw);
  std::vector<bool> added(static_cast<std::size_t>(rank), false);
  for (const std::int64_t axis : raw) {
    const auto at = static_cast<std::size_t>(context.axis(axis, rank));
    if (added[at]) context.fail("axis " + std::to_string(axis) + " is listed twice");
    added[at] = true;
  }
  Shape shape;
  auto next = context.shape(0).begin();
  for (const bool is_new : added) shape.push_back(is_new ? Expr(1) : *next++);
  context.set_shape(0, std::move(shape));
  copy_contents(context);
}

void infer_identity(ShapeContext& context) {
  if (!context.has_output(0)) return;
  context.outputs()[0].type = context.type(0);
  copy_contents(context);
}

std::vector<std::int64_t> permutation(const Attributes& attributes, std::int64_t rank) {
  std::vector<std::int64_t> perm = attributes.integers("perm");
  if (perm.empty()) {
    perm = all_axes(rank);
    std::reverse(perm.begin(), perm.end());
  }
  return perm;
}

void infer_transpose(ShapeContext& context) {
  context.set_element(0, context.element(0));
  const Shape& data = context.shape(0);
  const std::vector<std::int64_t> perm = permutation(context.attributes(), context.rank(0));
  std::vector<std::int64_t> sorted = perm;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != all_axes(context.rank(0))) {
    context.fail("perm is not a permutation of the axes of " + context.text(data));
  }
  Shape shape;
  for (const std::int64_t axis : perm) shape.push_back(data[static_cast<std::size_t>(axis)]);
  context.set_shape(0, std::move(shape));
  const Contents* const items = context.contents(0);
  const auto offsets = element_offsets(data);
  if (items == nullptr || !offsets) return;
  std::vector<std::vector<std::int64_t>> permuted;
  for (const std::int64_t axis : perm)
    permuted.push_back((*offsets)[static_cast<std::size_t>(axis)]);
  context.set_contents(0, pick(*items, permuted));
}

void infer_expand(ShapeContext& context) {
  context.set_element(0, context.element(0));
  const Contents* const target = context.contents(1);
  if (target == nullptr) {
    const auto rank = context.dim(1, 0).integer();
    if (!rank) throw ShapeUnknown();
    Shape unknown;
    for (std::int64_t i = 0; i < std::max(*rank, context.rank(0)); ++i)
      unknown.push_back(context.data_dependent_dim(i, std::nullopt));
    context.set_shape(0, std::move(unknown));
    return;
  }
  const Shape shape = context.broadcast(context.shape(0), Shape(target->begin(), target->end()));
  context.set_shape(0, shape);
  const Contents* const known = context.contents(0);
  const auto count = product_of(shape).integer();
  if (known != nullptr && known->size() == 1 && count &&
      *count <= static_cast<std::int64_t>(max_contents)) {
    context.set_contents(0, Contents(static_cast<std::size_t>(*count), known->front()));
  } else if (shape == context.shape(0)) {
    copy_contents(context);
  }
}

void infer_tile(ShapeContext& context) {
  context.set_element(0, context.element(0));
  if (context.version() < 6) throw ShapeUnknown();
  const Contents* const repeats = context.contents(1);
  Shape shape = context.shape(0);
  if (repeats != nullptr && repeats->size() != shape.size()) {
    context.fail("has " + std::to_string(repeats->size()) + " repeats for data of shape " +
                 context.text(shape));
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    shape[i] = repeats != nullptr
                   ? shape[i] * (*repeats)[i]
                   : context.data_dependent_dim(static_cast<std::int64_t>(i), std::nullopt);
  }
  context.set_shape(0, std::move(shape));
}

void reshape_gradient(GradientContext& g) { g.give(0, g.reshape_like(g.gradient(), g.input(0))); }

void identity_gradient(GradientContext& g) { g.give(0, g.gradient()); }

void squeeze_gradient(GradientContext& g) {
  std::vector<std::int64_t> axes = g.attributes().integers("axes");
  if (g.opset() >= 13 && g.has_input(1)) {
    const auto known = g.integers(1);
    if (!known) return reshape_gradient(g);
    axes = *known;
  }
  g.give(0,
         axes.empty() ? g.reshape_like(g.gradient(), g.input(0)) : g.unsqueeze(g.gradient(), axes));
}

void unsqueeze_gradient(GradientContext& g) {
  std::vector<std::int64_t> axes = g.attributes().integers("axes");
  if (g.opset() >= 13) {
    const auto known = g.integers(1);
    if (!known) return reshape_gradient(g);
    axes = *known;
  }
  g.give(0, g.squeeze(g.gradient(), axes));
}

void transpose_gradient(GradientContext& g) {
  const std::vector<std::int64_t> perm = permutation(g.attributes(), g.rank(g.input(0)));
  std::vector<std::int64_t> inverse(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i) {
    inverse[static_cast<std::size_t>(perm[i])] = static_cast<std::int64_t>(i);
  }
  g.give(0, g.add("Transpose", {g.gradient()}, {{"perm", inverse}}));
}

void expand_gradient(GradientContext& g) { g.give_broadcast(0, g.gradient()); }

/// The dims of the gradient after each axis is split in two: for each axis of the data, the repeats
/// and then the size. They are constants, or computed at run time.
ValueId split_dims(GradientContext& g) {
  const auto repeats = g.integers(1);
  const Shape& shape = g.shape(g.input(0));
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto size = shape[i].integer();
    if (!repeats || !size) {
      const ValueId columns =
          g.add("Concat", {g.unsqueeze(g.input(1), {1}), g.unsqueeze(g.shape_of(g.input(0)), {1})},
                {{"axis", std::int64_t{1}}});
      return g.add("Reshape", {columns, g.int64s({-1})});
    }
    numbers.push_back((*repeats)[i]);
    numbers.push_back(*size);
  }
  return g.int64s(numbers);
}

/// Splits each tiled axis into (repeats, size) and sums over the repeats.
void tile_gradient(GradientContext& g) {
  std::vector<std::int64_t> repeat_axes;
  for (std::int64_t i = 0; i < g.rank(g.input(0)); ++i) repeat_axes.push_back(2 * i);
  const ValueId split = g.add("Reshape", {g.gradient(), split_dims(g)});
  g.give(0, g.reduce_sum(split, repeat_axes, false));
}

/// An operator that reads only the shape of its input.
Op reader(std::string type, std::vector<std::int64_t> versions, void (*infer)(ShapeContext&)) {
  return {.type = std::move(type),
          .versions = std::move(versions),
          .operands = "data -> result",
          .infer = infer,
          .stops_gradients = true,
          .flops = no_flops,
          .bytes = no_bytes};
}

Op alias(Op op) {
  op.alias = shares_input;
  return op;
}

}  // namespace

void add_shape_ops(OpRegistry& registry) {
  registry.add(reader("Shape", {1, 13, 15, 19, 21, 23, 24}, infer_shape_of));
  registry.add(reader("Size", {1, 13, 19, 21, 23, 24}, infer_size_of));
  registry.add(
      alias(data_movement("Reshape", {1, 5, 13, 14, 19, 21, 23, 24},
                          {{1, "data -> reshaped"}, {5, "data shape:int64[1] -> reshaped"}},
                          infer_reshape, reshape_gradient, {{{1, 5, 13, 14, 19}, {}}})));
  registry.add(alias(data_movement("Flatten", {1, 9, 11, 13, 21, 23, 24}, "input -> output",
                                   infer_flatten, reshape_gradient, {})));
  registry.add(
      alias(data_movement("Squeeze", {1, 11, 13, 21, 23, 24},
                          {{1, "data -> squeezed"}, {13, "data axes?:int64[0..1] -> squeezed"}},
                          infer_squeeze, squeeze_gradient, {{{1, 11}, {}}, {{13}, {1}}})));
  registry.add(
      alias(data_movement("Unsqueeze", {1, 11, 13, 21, 23, 24},
                          {{1, "data -> expanded"}, {13, "data axes:int64[0..1] -> expanded"}},
                          infer_unsqueeze, unsqueeze_gradient, {{{1, 11}, {}}, {{13}, {1}}})));
  registry.add(
      alias(data_movement("Identity", {1, 13, 14, 16, 19, 21, 23, 24}, "input:value -> output",
                          infer_identity, identity_gradient, {})));
  registry.add(data_movement("Transpose", {1, 13, 21, 23, 24}, "data -> transposed",
                             infer_transpose, transpose_gradient, {{{1, 13}, {}}}));
  registry.add(data_movement("Expand", {8, 13}, "input shape:int64[1] -> output", infer_expand,
                             expand_gradient, {{{8, 13}, {1}}}));
  registry.add(
      data_movement("Tile", {1, 6, 13},
                    {{1, "input tiles axis -> output"}, {6, "input repeats:int64[1] -> output"}},
                    infer_tile, tile_gradient, {{{1}, {1, 2}}, {{6, 13}, {1}}}));
}

}  // namespace stashscope
