// Batch, layer, instance and group normalization, and their gradients.

#include "core/ops/families/normalization.h"

#include "core/ops/families/families.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

constexpr const char* length_and_channels =
    "the length of the scale or bias and the number of channels";

/// Output 0 has the type and dims of the data. The further outputs are statistics with one entry
/// per channel.
void infer_batch_norm(ShapeContext& context) {
  context.set_like_input(0, 0);
  if (context.rank(0) < 2) context.fail("batch normalization needs a channel axis");
  const Shape channels = {context.dim(0, 1)};
  for (std::size_t i = 1; i < 5; ++i) {
    if (context.has_shape(i))
      context.same_dim(context.dim(i, 0), channels[0], "the numbers of channels");
  }
  for (std::size_t i = 1; i < context.output_count(); ++i) {
    context.set(i, context.element(context.has_input(3) ? 3 : 0), channels);
  }
}

/// The statistics keep the axes before `axis` and have size 1 from there on.
Shape statistics_shape(ShapeContext& context) {
  const Shape& data = context.shape(0);
  const std::int64_t axis = context.axis(context.attributes().integer("axis", -1), context.rank(0));
  Shape shape(data.begin(), data.begin() + axis);
  shape.resize(data.size(), Expr(1));
  return shape;
}

ElementType stash_element(const Attributes& attributes) {
  return element_attribute(attributes, "stash_type", ElementType::float32);
}

void infer_layer_norm(ShapeContext& context) {
  context.set_like_input(0, 0);
  // `statistics_shape` also checks the axis. The check is needed even if the node omits the
  // statistics, because the gradient rule adds them.
  const Shape statistics = statistics_shape(context);
  for (std::size_t i = 1; i < context.output_count(); ++i) {
    context.set(i, stash_element(context.attributes()), statistics);
  }
}

/// (input, skip, gamma, [beta], [bias]) -> output, mean, inverse deviation, input + skip + bias
void infer_skip_layer_norm(ShapeContext& context) {
  infer_layer_norm(context);
  for (std::size_t i = 1; i < context.input_count(); ++i) {
    context.require_broadcastable(i, context.shape(0));
  }
  if (context.has_output(3)) context.set_like_input(3, 0);
}

/// (gradient, X, scale, ...) -> dX, dScale, dBias
void infer_norm_grad(ShapeContext& context) {
  context.require_same_shape(0, 1);
  context.set_like_input(0, 1);
  for (std::size_t i = 1; i < context.output_count(); ++i) context.set_like_input(i, 2);
}

/// Scale and statistics have one entry per channel.
void infer_channel_norm_grad(ShapeContext& context) {
  infer_norm_grad(context);
  for (std::size_t i = 2; i < context.input_count(); ++i) {
    context.require_length(i, context.dim(1, 1),
                           "the length of the scale or statistics and the number of channels");
  }
}

/// The scale covers the axes from `axis` on, or is a single number; the statistics cover the axes
/// before `axis`.
void infer_layer_norm_grad(ShapeContext& context) {
  infer_norm_grad(context);
  const Shape& data = context.shape(1);
  const std::int64_t axis = context.axis(context.attributes().integer("axis", -1), context.rank(1));
  const Shape outer(data.begin(), data.begin() + axis);
  for (std::size_t i = 3; i < context.input_count(); ++i) {
    if (!context.has_shape(i)) continue;
    context.require_dim(*element_count({ElementType::undefined, outer, {}}),
                        *element_count(context.type(i)),
                        "the number of normalized rows and the number of statistics");
  }
}

/// The channels form groups. Before version 21, each group has a scale and a bias; since then, each
/// channel has a scale and a bias.
void infer_group_norm(ShapeContext& context) {
  context.set_like_input(0, 0);
  const std::int64_t groups = context.attributes().require_integer("num_groups");
  const Expr& channels = context.dim(0, 1);
  const auto count = channels.integer();
  if (groups < 1 || (count && *count % groups != 0)) {
    context.fail("cannot form " + std::to_string(groups) + " groups from " +
                 context.text(channels) + " channels");
  }
  const bool by_group = context.version() < 21;
  for (const std::size_t each : {1U, 2U}) {
    context.require_length(each, by_group ? Expr(groups) : channels,
                           by_group ? "the length of the scale or bias and the number of groups"
                                    : length_and_channels);
  }
}

void infer_local_response_norm(ShapeContext& context) {
  context.set_like_input(0, 0);
  const std::int64_t size = context.attributes().require_integer("size");
  if (size < 1) context.fail("its attribute 'size' is " + std::to_string(size) + ", not 1 or more");
}

void infer_mean_variance_norm(ShapeContext& context) {
  context.set_like_input(0, 0);
  Integers axes = context.attributes().integers("axes");
  if (axes.empty()) axes = {0, 2, 3};
  for (const std::int64_t axis : axes) context.axis(axis, context.rank(0));
}

void infer_instance_norm(ShapeContext& context) {
  context.set_like_input(0, 0);
  for (const std::size_t each : {1U, 2U}) {
    context.require_length(each, context.dim(0, 1), length_and_channels);
  }
}

/// With fixed statistics the normalization is an affine function of the data.
void fixed_batch_norm_gradient(GradientContext& g) {
  const Shape& shape = g.shape(g.input(0));
  std::vector<std::int64_t> spatial;
  std::vector<std::int64_t> others = {0};
  for (std::int64_t axis = 2; axis < std::ssize(shape); ++axis) {
    spatial.push_back(axis - 1);
    others.push_back(axis);
  }
  const auto by_channel = [&](ValueId value) {
    return spatial.empty() ? value : g.unsqueeze(value, spatial);
  };
  const double epsilon = double{g.attributes().real("epsilon", 1e-5F)};
  const ValueId variance = g.add("Add", {g.input(4), g.scalar_like(g.input(4), epsilon)});
  const ValueId scale = g.add("Reciprocal", {g.add("Sqrt", {variance})});
  // Data, scale and statistics may have different types.
  const auto as = [&](ValueId value, std::size_t from, std::size_t to) {
    const ElementType element = g.type(g.input(to)).element;
    return g.type(g.input(from)).element == element ? value : g.cast(value, element);
  };
  if (g.wants(0)) {
    const ValueId slope = g.add("Mul", {g.input(1), as(scale, 4, 1)});
    g.give(0, g.add("Mul", {g.gradient(), by_channel(as(slope, 1, 0))}));
  }
  if (g.wants(1)) {
    const ValueId centred = g.add("Sub", {g.input(0), by_channel(as(g.input(3), 3, 0))});
    const ValueId normal = g.add("Mul", {centred, by_channel(as(scale, 4, 0))});
    const ValueId sum = g.reduce_sum(g.add("Mul", {g.gradient(), normal}), others, false);
    g.give(1, as(sum, 0, 1));
  }
  if (g.wants(2)) g.give(2, as(g.reduce_sum(g.gradient(), others, false), 0, 2));
}

/// In training the forward node becomes ONNX Runtime's BatchNormInternal, which also returns the
/// batch's mean and inverse deviation for the gradient.
void batch_norm_gradient(GradientContext& g) {
  if (!batch_norm_trains(g.node(), g.opset())) return fixed_batch_norm_gradient(g);
  const TensorType statistics = g.type(g.input(3));
  Node& forward = g.forward_node();
  forward.op_type = "BatchNormInternal";
  forward.domain = microsoft_domain;
  for (const std::size_t running : {1U, 2U}) g.saved_output(running, statistics);
  const ValueId mean = g.saved_output(3, statistics);
  const ValueId deviation = g.saved_output(4, statistics);
  const Attributes epsilon = {{"epsilon", g.attributes().real("epsilon", 1e-5F)}};
  const std::vector<ValueId> grads = g.add_microsoft(
      "BatchNormalizationGrad", {g.gradient(), g.input(0), g.input(1), mean, deviation},
      std::vector<bool>(3, true), epsilon);
  for (std::size_t i = 0; i < 3; ++i) {
    if (g.wants(i)) g.give(i, grads[i]);
  }
}

TensorType statistics_type(const GradientContext& g) {
  const Shape& data = g.shape(g.input(0));
  std::int64_t axis = g.attributes().integer("axis", -1);
  if (axis < 0) axis += std::ssize(data);
  Shape shape(data.begin(), data.begin() + axis);
  shape.resize(data.size(), Expr(1));
  return {stash_element(g.attributes()), std::move(shape), {}};
}

void layer_norm_gradient(GradientContext& g) {
  const ValueId mean = g.saved_output(1, statistics_type(g));
  const ValueId deviation = g.saved_output(2, statistics_type(g));
  const std::vector<bool> outputs(g.has_input(2) ? 3 : 2, true);
  const std::vector<ValueId> grads = g.add_microsoft(
      "LayerNormalizationGrad", {g.gradient(), g.input(0), g.input(1), mean, deviation}, outputs,
      g.attributes());
  for (std::size_t i = 0; i < grads.size(); ++i) {
    if (g.wants(i)) g.give(i, grads[i]);
  }
}

void simplified_layer_norm_gradient(GradientContext& g) {
  const ValueId deviation = g.saved_output(1, statistics_type(g));
  const std::vector<ValueId> grads = g.add_microsoft(
      "SimplifiedLayerNormalizationGrad", {g.gradient(), g.input(0), g.input(1), deviation},
      std::vector<bool>(2, true), g.attributes());
  for (std::size_t i = 0; i < 2; ++i) {
    if (g.wants(i)) g.give(i, grads[i]);
  }
}

/// In training the forward node becomes ONNX Runtime's SimplifiedLayerNormalization, which also
/// returns the inverse deviation for the gradient.
void root_mean_square_gradient(GradientContext& g) {
  g.forward_node().op_type = "SimplifiedLayerNormalization";
  simplified_layer_norm_gradient(g);
}

/// (gradient, data) -> gradient of the data
void lp_norm_gradient(GradientContext& g) {
  g.give(0, g.add_microsoft("LpNormalizationGrad", {g.gradient(), g.input(0)}, g.attributes()));
}

void infer_lp_norm(ShapeContext& context) {
  context.set_like_input(0, 0);
  context.axis(context.attributes().integer("axis", -1), context.rank(0));
  const std::int64_t p = context.attributes().integer("p", 2);
  if (p != 1 && p != 2) context.fail("its norm is of order " + std::to_string(p) + ", not 1 or 2");
}

/// (gradient, data) -> gradient of the data
void infer_lp_norm_grad(ShapeContext& context) {
  context.require_same_shape(0, 1);
  infer_lp_norm(context);
}

void instance_norm_gradient(GradientContext& g) {
  const std::vector<ValueId> grads =
      g.add_microsoft("InstanceNormalizationGrad", {g.gradient(), g.input(0), g.input(1)},
                      std::vector<bool>(3, true), g.attributes());
  for (std::size_t i = 0; i < 3; ++i) {
    if (g.wants(i)) g.give(i, grads[i]);
  }
}

// Operations per element: mean 1, variance 3, normalization 2, scale and shift 2.
constexpr auto normalization_flops = flops_per_element<8>;
// Operations per element: mean of squares 2, division 1, scale 1.
constexpr auto root_mean_square_flops = flops_per_element<4>;

/// Evaluation does not compute the statistics, which are inputs. Before version 14, only the number
/// of outputs shows whether the node trains.
double batch_norm_flops(const CostContext& cost) {
  const bool trains =
      cost.node.attributes.integer("training_mode", 0) != 0 || cost.node.outputs.size() > 1;
  return (trains ? 8 : 4) * cost.output_elements();
}

Op layer_norm(std::string type, void (*gradient)(GradientContext&)) {
  return {.type = std::move(type),
          .versions = {1, 17},
          .operands = "X:float[1..] scale:float bias?:float -> Y mean? inverse_deviation?",
          .infer = infer_layer_norm,
          .gradient = gradient,
          .flops = normalization_flops,
          .recompute = RecomputeLevel::advanced,
          .recompute_rules = {{{1, 17}, {}}}};
}

void add_layer_norms(OpRegistry& registry) {
  registry.add(layer_norm("LayerNormalization", layer_norm_gradient));
  Op simplified = layer_norm("SimplifiedLayerNormalization", simplified_layer_norm_gradient);
  simplified.versions = {1};
  simplified.operands = "X:float[1..] scale:float -> Y inverse_deviation?";
  simplified.flops = root_mean_square_flops;
  simplified.recompute_rules = {{{1}, {}}};
  registry.add(std::move(simplified));
  for (const char* type : {"SkipLayerNormalization", "SkipSimplifiedLayerNormalization"}) {
    Op skip = microsoft(layer_norm(type, nullptr));
    skip.infer = infer_skip_layer_norm;
    const bool is_simplified = std::string_view(type) != "SkipLayerNormalization";
    skip.operands = is_simplified ? "X:float[1..] skip=X gamma=X bias?=X -> "
                                    "Y mean? inverse_deviation? sum?"
                                  : "X:float[1..] skip=X gamma=X beta?=X bias?=X -> "
                                    "Y mean? inverse_deviation? sum?";
    skip.flops = is_simplified ? flops_per_element<5> : flops_per_element<9>;
    skip.recompute_rules = {{{1}, {}}};
    registry.add(std::move(skip));
  }
  registry.add({.type = "RMSNormalization",
                .versions = {23},
                .operands = "X:float[1..] scale:float -> Y",
                .infer = infer_layer_norm,
                .gradient = root_mean_square_gradient,
                .flops = root_mean_square_flops});
}

void add_lp_norms(OpRegistry& registry) {
  registry.add({.type = "LpNormalization",
                .versions = {1, 22},
                .operands = "input:float[1..] -> output",
                .infer = infer_lp_norm,
                .gradient = lp_norm_gradient,
                .flops = flops_per_element<3>});
  registry.add(microsoft({.type = "LpNormalizationGrad",
                          .operands = "dY:float[1..] input=dY[1..] -> dX",
                          .infer = infer_lp_norm_grad,
                          .flops = flops_per_element<7>}));
}

struct NormGrad {
  const char* type;
  const char* operands;
  void (*infer)(ShapeContext&);
};

void add_norm_grads(OpRegistry& registry) {
  const NormGrad grads[] = {
      {"BatchNormalizationGrad",
       "dY:float[2..] X:float[2..] scale:float[1] mean:float[1] inverse_deviation:float[1] -> "
       "dX dScale? dBias?",
       infer_channel_norm_grad},
      {"LayerNormalizationGrad",
       "dY:float[1..] X:float[1..] scale:float mean:float inverse_deviation:float -> "
       "dX dScale? dBias?",
       infer_layer_norm_grad},
      {"SimplifiedLayerNormalizationGrad",
       "dY:float[1..] X:float[1..] scale:float inverse_deviation:float -> dX dScale?",
       infer_layer_norm_grad},
      {"InstanceNormalizationGrad",
       "dY:float[2..] X:float[2..] scale:float[1] -> dX dScale? dBias?", infer_channel_norm_grad},
  };
  for (const NormGrad& each : grads) {
    Op op = microsoft({.type = each.type,
                       .operands = each.operands,
                       .infer = each.infer,
                       .flops = flops_per_input_element<14>});
    registry.add(op);
    op.domain.clear();  // older training graphs have these operators in the default domain
    registry.add(std::move(op));
  }
}

}  // namespace

bool batch_norm_trains(const Node& node, std::int64_t opset) {
  if (opset >= 14) return node.attributes.integer("training_mode", 0) != 0;
  return node.outputs.size() > 1;
}

void add_normalization_ops(OpRegistry& registry) {
  const std::vector<std::int64_t> batch_norm_versions = {1, 6, 7, 9, 14, 15};
  const Op batch_norm = {.type = "BatchNormalization",
                         .versions = batch_norm_versions,
                         .operands = {{1,
                                       "X:float[2..] scale:float[1] B:float[1] mean:float[1] "
                                       "var:float[1] -> Y mean? var? saved_mean? saved_var?"},
                                      {14,
                                       "X:float[2..] scale:float[1] B=scale[1] mean:float[1] "
                                       "var=mean[1] -> Y running_mean? running_var?"}},
                         .infer = infer_batch_norm,
                         .gradient = batch_norm_gradient,
                         .flops = batch_norm_flops,
                         .recompute = RecomputeLevel::basic,
                         .recompute_rules = {{batch_norm_versions, {}}}};
  registry.add(batch_norm);
  registry.add(
      microsoft({.type = "BatchNormInternal",
                 .operands = "X:float[2..] scale:float[1] B:float[1] mean:float[1] var:float[1] -> "
                             "Y running_mean? running_var? saved_mean? saved_inverse_deviation?",
                 .infer = infer_batch_norm,
                 .flops = normalization_flops}));
  add_layer_norms(registry);
  add_lp_norms(registry);
  registry.add({.type = "InstanceNormalization",
                .versions = {1, 6, 22},
                .operands = "input:float[3..] scale=input[1] B=input[1] -> output",
                .infer = infer_instance_norm,
                .gradient = instance_norm_gradient,
                .flops = normalization_flops});
  registry.add({.type = "GroupNormalization",
                .versions = {18, 21},
                .operands = "X:float[2..] scale=X[1] bias=X[1] -> Y",
                .infer = infer_group_norm,
                .flops = normalization_flops});
  registry.add({.type = "LRN",
                .versions = {1, 13},
                .operands = "X:float[2..] -> Y",
                .infer = infer_local_response_norm,
                .flops = normalization_flops});
  registry.add({.type = "MeanVarianceNormalization",
                .versions = {9, 13},
                .operands = "X:float -> Y",
                .infer = infer_mean_variance_norm,
                .flops = normalization_flops});
  add_norm_grads(registry);
}

}  // namespace stashscope
