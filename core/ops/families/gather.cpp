// Reading and writing by index.

#include "core/ops/families/families.h"
#include "core/ops/rules/known_texts.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

void require_indices(ShapeContext& context, std::size_t input) {
  const ElementType element = context.element(input);
  if (element != ElementType::undefined && !is_integer(element)) {
    context.fail("its indices are " + std::string(name_of(element)) + ", not integers");
  }
}

void gather_contents(ShapeContext& context) {
  const Contents* const items = context.contents(0);
  const auto indices = context.integers(1);
  if (items == nullptr || !indices || context.rank(0) != 1 || context.rank(1) > 1) return;
  Contents picked;
  for (const std::int64_t index : *indices) {
    const std::int64_t at = index < 0 ? index + std::ssize(*items) : index;
    if (at < 0 || at >= std::ssize(*items)) {
      context.fail("index " + std::to_string(index) + " is outside of " +
                   std::to_string(items->size()) + " elements");
    }
    picked.push_back((*items)[static_cast<std::size_t>(at)]);
  }
  context.set_contents(0, std::move(picked));
}

/// The shape of data[..., indices, ...], where the indices address one axis.
Shape gathered(ShapeContext& context, const Shape& data) {
  const std::int64_t axis = context.axis(context.attributes().integer("axis", 0), std::ssize(data));
  Shape shape(data.begin(), data.begin() + axis);
  const Shape& indices = context.shape(1);
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), data.begin() + axis + 1, data.end());
  return shape;
}

void infer_gather(ShapeContext& context) {
  context.set_element(0, context.element(0));
  require_indices(context, 1);
  context.set_shape(0, gathered(context, context.shape(0)));
  gather_contents(context);
}

/// Checks indices that address one axis. Along every other axis, the indices may have fewer
/// positions than the data.
void require_indexed(ShapeContext& context, const Shape& data, std::size_t indices) {
  require_indices(context, indices);
  if (!context.has_shape(indices)) return;
  const std::int64_t rank = std::ssize(data);
  if (rank != context.rank(indices)) context.fail("its data and indices have different ranks");
  const std::int64_t axis = context.axis(context.attributes().integer("axis", 0), rank);
  for (std::int64_t i = 0; i < rank; ++i) {
    const auto available = data[static_cast<std::size_t>(i)].integer();
    const auto addressed = context.dim(indices, i).integer();
    if (i != axis && available && addressed && *addressed > *available) {
      context.fail("its indices of shape " + context.text(context.shape(indices)) +
                   " are larger than its data of shape " + context.text(data));
    }
  }
}

void require_elements_within(ShapeContext& context) {
  if (context.has_shape(0)) require_indexed(context, context.shape(0), 1);
}

void infer_gather_elements(ShapeContext& context) {
  require_elements_within(context);
  context.set(0, context.element(0), context.shape(1));
}

/// The shape of a result that has one slice of the data for each index tuple. Tuples lie along the
/// last axis of the indices. A tuple addresses the first axes of the data after the `batch_dims`
/// axes that data and indices share.
Shape gathered_nd(ShapeContext& context, const Shape& data) {
  const std::int64_t batch = context.attributes().integer("batch_dims", 0);
  const auto depth = context.dim(1, -1).integer();
  if (!depth) throw ShapeUnknown();
  const Shape& indices = context.shape(1);
  if (batch < 0 || batch >= std::ssize(indices))
    context.fail("batch_dims is negative or not below the rank of the indices");
  if (*depth > std::ssize(data) - batch)
    context.fail("batch_dims and its index tuples address more axes than the data has");
  for (std::int64_t i = 0; i < batch; ++i) {
    context.require_dim(data[static_cast<std::size_t>(i)], context.dim(1, i),
                        "the sizes of a batch axis of data and indices");
  }
  Shape shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), data.begin() + batch + *depth, data.end());
  return shape;
}

void infer_gather_nd(ShapeContext& context) {
  context.set_element(0, context.element(0));
  require_indices(context, 1);
  context.set_shape(0, gathered_nd(context, context.shape(0)));
}

/// (shape of the data, indices, gradient) -> gradient of the data
void infer_gather_grad(ShapeContext& context) {
  infer_shaped_by(context, 0, context.input_count() - 1);
  const Shape& data = *context.outputs()[0].type.shape;
  const bool is_nd = context.node().op_type == "GatherNDGrad";
  context.require_shape(2, is_nd ? gathered_nd(context, data) : gathered(context, data));
}

/// GatherGrad takes (shape of the data, indices, gradient).
void gather_gradient(GradientContext& g) {
  g.give(0, g.add_microsoft("GatherGrad", {g.shape_of(g.input(0)), g.input(1), g.gradient()},
                            {{"axis", g.attributes().integer("axis", 0)}}));
}

/// GatherElementsGrad takes (gradient, shape of the data, indices).
void gather_elements_gradient(GradientContext& g) {
  g.give(0,
         g.add_microsoft("GatherElementsGrad", {g.gradient(), g.shape_of(g.input(0)), g.input(1)},
                         {{"axis", g.attributes().integer("axis", 0)}}));
}

void infer_gather_elements_grad(ShapeContext& context) {
  context.require_same_shape(0, 2);
  infer_shaped_by(context, 1, 0);
  require_indexed(context, *context.outputs()[0].type.shape, 2);
}

void gather_nd_gradient(GradientContext& g) {
  g.give(0, g.add_microsoft("GatherNDGrad", {g.shape_of(g.input(0)), g.input(1), g.gradient()},
                            {{"batch_dims", g.attributes().integer("batch_dims", 0)}}));
}

void infer_scatter_elements(ShapeContext& context) {
  require_elements_within(context);
  context.set_like_input(0, 0);
  context.require_shape(2, context.shape(1));
}

/// The updates replace data[indices[...], ...] or, with a reduction, are combined with it.
void infer_scatter_nd(ShapeContext& context) {
  require_indices(context, 1);
  context.set_like_input(0, 0);
  const auto depth = context.dim(1, -1).integer();
  if (!depth) return;
  if (*depth > context.rank(0))
    context.fail("its index tuples address more axes than the data has");
  const Shape& indices = context.shape(1);
  const Shape& data = context.shape(0);
  Shape wanted(indices.begin(), indices.end() - 1);
  wanted.insert(wanted.end(), data.begin() + *depth, data.end());
  context.require_shape(2, wanted);
}

/// A node of ScatterND, ScatterElements or Scatter, for its gradient rule.
class Scattering {
 public:
  explicit Scattering(GradientContext& g) : g_(g), whole_(g.node().op_type == "ScatterND") {
    if (!whole_) place_ = {{"axis", g.attributes().integer("axis", 0)}};
  }

  /// The elements of `from` at the positions of the updates; `from` has the data's shape.
  ValueId gathered(ValueId from) const {
    return g_.add(whole_ ? "GatherND" : "GatherElements", {from, g_.input(1)}, place_);
  }
  /// `data` after `updates` are scattered into it with `reduction`.
  ValueId scattered(ValueId data, ValueId updates, const char* reduction) const {
    Attributes attributes = place_;
    if (std::string_view(reduction) != "none") attributes.set("reduction", std::string(reduction));
    return g_.add(whole_ ? "ScatterND" : "ScatterElements", {data, g_.input(1), updates},
                  std::move(attributes));
  }

 private:
  GradientContext& g_;
  bool whole_;
  Attributes place_;
};

/// The gradient of the data is the output's gradient with zeros at the indices. The gradient of the
/// updates is the output's gradient at the indices.
void replacing_gradient(GradientContext& g, const Scattering& scattering) {
  if (g.wants(0)) {
    g.give(0, scattering.scattered(g.gradient(), g.zeros_like(g.input(2)), "none"));
  }
  if (g.wants(2)) g.give(2, scattering.gathered(g.gradient()));
}

void adding_gradient(GradientContext& g, const Scattering& scattering) {
  if (g.wants(0)) g.give(0, g.gradient());
  if (g.wants(2)) g.give(2, scattering.gathered(g.gradient()));
}

/// Several updates may multiply one element of the data. The derivative with respect to an update
/// is the product of this element and its other updates. The added nodes multiply the element by
/// all its nonzero updates, and divide by the update if it is nonzero. The derivative is 0 if
/// another update of the element is zero.
void multiplying_gradient(GradientContext& g, const Scattering& scattering) {
  const ValueId updates = g.input(2);
  if (g.wants(0)) g.give(0, scattering.scattered(g.gradient(), updates, "mul"));
  if (!g.wants(2)) return;
  const ValueId zero = g.scalar_like(updates, 0);
  const ValueId is_zero = g.add("Equal", {updates, zero});
  const ValueId factors = g.add("Where", {is_zero, g.scalar_like(updates, 1), updates});
  const ValueId product =
      scattering.scattered(g.add("Mul", {g.gradient(), g.input(0)}), factors, "mul");
  const ValueId others = g.add("Div", {scattering.gathered(product), factors});
  const ValueId counted = g.cast(is_zero, g.type(updates).element);
  const ValueId zeros = scattering.scattered(g.zeros_like(g.input(0)), counted, "add");
  const ValueId vanishes = g.add("Greater", {scattering.gathered(zeros), counted});
  g.give(2, g.add("Where", {vanishes, zero, others}));
}

/// The gradient goes in equal parts to the data and the updates that equal the extreme, as in
/// PyTorch's scatter_reduce.
void extreme_gradient(GradientContext& g, const Scattering& scattering) {
  const ElementType element = g.type(g.input(0)).element;
  const auto chosen = [&](std::size_t input, ValueId extreme) {
    return g.cast(g.add("Equal", {g.input(input), extreme}), element);
  };
  const ValueId kept = chosen(0, g.output());
  const ValueId taken = chosen(2, scattering.gathered(g.output()));
  const ValueId share = g.add("Div", {g.gradient(), scattering.scattered(kept, taken, "add")});
  if (g.wants(0)) g.give(0, g.add("Mul", {kept, share}));
  if (g.wants(2)) g.give(2, g.add("Mul", {taken, scattering.gathered(share)}));
}

void scatter_gradient(GradientContext& g) {
  const std::string reduction = g.attributes().text("reduction", "none");
  const Scattering scattering(g);
  if (reduction == "none") return replacing_gradient(g, scattering);
  if (reduction == "add") return adding_gradient(g, scattering);
  if (reduction == "mul") return multiplying_gradient(g, scattering);
  if (reduction == "min" || reduction == "max") return extreme_gradient(g, scattering);
  fail_gradient("the unknown reduction '" + printable(reduction) + "' has no gradient rule");
}

/// (cache, updates, [first positions]) -> cache. The updates of a batch entry replace consecutive
/// positions along `axis`, from the entry's first position on.
void infer_tensor_scatter(ShapeContext& context) {
  require_known_text(context, "mode", {"linear", "circular"});
  context.set_like_input(0, 0);
  const std::int64_t axis = context.axis(context.attributes().integer("axis", -2), context.rank(0));
  if (axis == 0) context.fail("its attribute 'axis' must not be the batch axis (0)");
  Shape wanted = context.shape(0);
  wanted[static_cast<std::size_t>(axis)] = context.dim(1, axis);
  context.require_shape(1, wanted);
  context.require_length(2, context.dim(0, 0), "the number of first positions and the batch size");
}

/// (data, lengths) -> data in which the first `length` positions of each sequence are reversed
void infer_reverse_sequence(ShapeContext& context) {
  context.set_like_input(0, 0);
  const std::int64_t batch = context.attributes().integer("batch_axis", 1);
  const std::int64_t time = context.attributes().integer("time_axis", 0);
  const bool leading = (batch == 0 && time == 1) || (batch == 1 && time == 0);
  if (context.rank(0) < 2 || !leading) {
    context.fail(
        "its data needs rank 2 or more, and 'batch_axis' and 'time_axis' must be 0 and 1 in either "
        "order");
  }
  context.require_length(1, context.dim(0, batch), "the number of lengths and the batch size");
}

void reverse_sequence_gradient(GradientContext& g) {
  g.give(0, g.add("ReverseSequence", {g.gradient(), g.input(1)}, g.attributes()));
}

void infer_one_hot(ShapeContext& context) {
  context.require_length(
      2, 2, "the number of values and the required number (one value for off, one for on)");
  context.set_element(0, context.element(2));
  Shape shape = context.shape(0);
  const std::int64_t rank = std::ssize(shape) + 1;
  const std::int64_t axis = context.axis(context.attributes().integer("axis", -1), rank);
  const Contents* const depth = context.contents(1);
  const Expr size = depth != nullptr && depth->size() == 1
                        ? (*depth)[0]
                        : context.data_dependent_dim(axis, std::nullopt);
  shape.insert(shape.begin() + axis, size);
  context.set_shape(0, std::move(shape));
}

/// [rank, number of nonzero elements]
void infer_non_zero(ShapeContext& context) {
  context.set(0, ElementType::int64,
              {context.rank(0), context.data_dependent_dim(1, element_count(context.type(0)))});
}

/// (data [d1, d2, ...], places among the d1 * d2 rows) -> [places, ...], (d1, d2)
void infer_flatten_and_unpad(ShapeContext& context) {
  context.set_element(0, context.element(0));
  const Shape& data = context.shape(0);
  Shape packed(data.begin() + 1, data.end());
  packed.front() = context.dim(1, 0);
  context.set_shape(0, std::move(packed));
  if (!context.has_output(1)) return;
  context.set(1, ElementType::int64, {2});
  context.set_contents(1, {data[0], data[1]});
}

/// (packed [places, ...], places among the d1 * d2 rows, (d1, d2)) -> [d1, d2, ...]
void infer_pad_and_unflatten(ShapeContext& context) {
  context.require_length(2, 2, "the number of leading axes and the required number");
  context.set_element(0, context.element(0));
  context.require_dim(context.dim(0, 0), context.dim(1, 0), "the numbers of rows and of places");
  const Contents* const leading = context.contents(2);
  if (leading == nullptr) throw ShapeUnknown();
  Shape shape(leading->begin(), leading->end());
  const Shape& packed = context.shape(0);
  shape.insert(shape.end(), packed.begin() + 1, packed.end());
  context.set_shape(0, std::move(shape));
}

void flatten_and_unpad_gradient(GradientContext& g) {
  const ValueId leading = g.add("Gather", {g.shape_of(g.input(0)), g.int64s({0, 1})});
  g.give(0, g.add_microsoft("PadAndUnflatten", {g.gradient(), g.input(1), leading}));
}

void pad_and_unflatten_gradient(GradientContext& g) {
  g.give(0, g.add_microsoft("FlattenAndUnpad", {g.gradient(), g.input(1)}));
}

/// The node writes zeros everywhere. Then it reads each element of the gradient and adds it to an
/// element of the output.
/// @tparam gradient the index of the gradient among the inputs
template <std::size_t gradient>
double gather_grad_bytes(const CostContext& cost) {
  return cost.bytes_of_output() + 3 * cost.bytes_of_input(gradient) + cost.bytes_of_input(1) +
         (gradient == 0 ? cost.bytes_of_input(2) : 0);
}

Op gatherer(std::string type, std::vector<std::int64_t> versions, const char* operands,
            void (*infer)(ShapeContext&), void (*gradient)(GradientContext&)) {
  return {.type = std::move(type),
          .versions = std::move(versions),
          .operands = operands,
          .infer = infer,
          .gradient = gradient,
          .flops = no_flops,
          .bytes = bytes_of_picked};
}

Op stopping(std::string type, std::vector<std::int64_t> versions, const char* operands,
            void (*infer)(ShapeContext&)) {
  return {.type = std::move(type),
          .versions = std::move(versions),
          .operands = operands,
          .infer = infer,
          .stops_gradients = true,
          .flops = no_flops};
}

void add_gather_grads(OpRegistry& registry) {
  for (const char* type : {"GatherGrad", "GatherNDGrad"}) {
    Op op = microsoft({.type = type,
                       .operands = "shape:int64[1] indices:index dY:float -> dX",
                       .infer = infer_gather_grad,
                       .flops = flops_per_input_element<1, 2>,
                       .bytes = gather_grad_bytes<2>});
    registry.add(op);
    op.domain.clear();  // older training graphs have these operators in the default domain
    registry.add(std::move(op));
  }
  registry.add(microsoft({.type = "GatherElementsGrad",
                          .operands = "dY:float shape:int64[1] indices:index -> dX",
                          .infer = infer_gather_elements_grad,
                          .flops = flops_per_input_element<1>,
                          .bytes = gather_grad_bytes<0>}));
}

/// Operators that remove the rows of padding from a batch of sequences, and that put rows of zeros
/// back in their places.
void add_padding_ops(OpRegistry& registry) {
  registry.add(microsoft(gatherer("FlattenAndUnpad", {1},
                                  "input[2..] indices:int64[1] -> output unflatten_dims?",
                                  infer_flatten_and_unpad, flatten_and_unpad_gradient)));
  Op pad = gatherer("PadAndUnflatten", {1},
                    "input[1..] indices:int64[1] unflatten_dims:int64[1] -> output",
                    infer_pad_and_unflatten, pad_and_unflatten_gradient);
  pad.bytes = nullptr;  // all of the output is written
  registry.add(microsoft(std::move(pad)));
}

bool gathers_rows(const Graph& graph, const Node& node) {
  const auto& table = graph.value(node.inputs[0]).type.shape;
  const std::int64_t axis = node.attributes.integer("axis", 0);
  return axis == 0 || (table && axis == -static_cast<std::int64_t>(table->size()));
}

}  // namespace

void add_gather_ops(OpRegistry& registry) {
  Op gather = gatherer("Gather", {1, 11, 13}, "data[1..] indices:index -> output", infer_gather,
                       gather_gradient);
  gather.recompute = RecomputeLevel::basic;
  gather.recompute_rules = {{{1, 11, 13}, {1}}};
  gather.looks_up_rows = gathers_rows;
  registry.add(std::move(gather));
  registry.add(gatherer("GatherElements", {11, 13}, "data[1..] indices:index[1..] -> output",
                        infer_gather_elements, gather_elements_gradient));
  registry.add(gatherer("GatherND", {11, 12, 13}, "data[1..] indices:int64[1..] -> output",
                        infer_gather_nd, gather_nd_gradient));
  Op scatter_nd =
      gatherer("ScatterND", {11, 13, 16, 18}, "data[1..] indices:int64[1..] updates=data -> output",
               infer_scatter_nd, scatter_gradient);
  scatter_nd.in_place = {{0, 0}};
  scatter_nd.bytes = nullptr;  // the data is copied in full
  registry.add(std::move(scatter_nd));
  for (const char* type : {"ScatterElements", "Scatter"}) {
    Op op = gatherer(type, {9, 11, 13, 16, 18},
                     "data[1..] indices:index[1..] updates=data[1..] -> output",
                     infer_scatter_elements, scatter_gradient);
    op.in_place = {{0, 0}};
    op.bytes = nullptr;
    registry.add(std::move(op));
  }
  registry.add({.type = "TensorScatter",
                .versions = {24},
                .operands = "past_cache[2..] update=past_cache[2..] write_indices?:int64[1] -> "
                            "present_cache",
                .infer = infer_tensor_scatter,
                .flops = no_flops,
                .in_place = {{0, 0}}});
  registry.add(data_movement("ReverseSequence", {10, 28},
                             "input[2..] sequence_lens:int64[1] -> output", infer_reverse_sequence,
                             reverse_sequence_gradient, {}));
  registry.add(stopping("OneHot", {9, 11}, "indices:number depth:number[0..1] values[1] -> output",
                        infer_one_hot));
  registry.add(stopping("NonZero", {9, 13}, "X -> Y", infer_non_zero));
  add_gather_grads(registry);
  add_padding_ops(registry);
}

}  // namespace stashscope
