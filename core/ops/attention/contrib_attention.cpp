// The attention operators that ONNX Runtime adds to those of ONNX. (com.microsoft,
// ContribOperators.md) These operators have neither kernels in the runners nor gradient rules: the
// what-if `attention` writes them with operators that have both.

#include <algorithm>
#include <limits>

#include "core/ops/attention/attention_shapes.h"
#include "core/ops/attention/ops.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

std::int64_t required_heads(const ShapeContext& context, const char* name) {
  const std::int64_t heads = context.attributes().require_integer(name);
  const std::string attribute = "its attribute '" + std::string(name) + "' is ";
  if (heads < 1) context.fail(attribute + "below 1");
  // ONNX Runtime counts heads in 32 bits.
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (heads > most) context.fail(attribute + "above " + std::to_string(most));
  return heads;
}

/// The size of one head if `heads` heads share an axis of size `all`.
Expr size_of_head(ShapeContext& context, const Expr& all, std::int64_t heads) {
  const auto known = all.integer();
  if (known && *known % heads != 0) {
    context.fail("has " + std::to_string(*known) +
                 " numbers per token, which is not a multiple of its " + std::to_string(heads) +
                 " heads");
  }
  return floor_divide(all, heads);
}

void set_elements_like_query(ShapeContext& context) {
  for (std::size_t i = 0; i < context.output_count(); ++i) {
    if (context.has_output(i)) context.set_element(i, context.element(0));
  }
}

/// Checks keys or values [batch, heads, keys, size]; other layouts pass.
void require_heads_apart(ShapeContext& context, std::size_t input, std::int64_t heads) {
  if (context.rank(input) != 4) return;
  context.require_dim(heads, context.dim(input, 1), "the numbers of heads of its operands");
}

/// Sets the shapes of outputs 1 and 2: the keys and values that a later run of the model takes as
/// past keys and values, [batch, heads, positions, size].
void set_present(ShapeContext& context, const Shape& keys, const Shape& values) {
  if (context.has_output(1)) context.set_shape(1, keys);
  if (context.has_output(2)) context.set_shape(2, values);
}

/// Queries [batch, rows, width], keys and values [batch, keys, width] or [batch, heads, keys,
/// size]. If keys and values, or all three, lie in one tensor, the outputs keep their declared
/// shapes.
void infer_multi_head_attention(ShapeContext& context) {
  set_elements_like_query(context);
  const std::int64_t heads = required_heads(context, "num_heads");
  if (!context.has_input(1) || !context.has_input(2) || context.rank(0) != 3) throw ShapeUnknown();
  const bool is_apart = context.rank(2) == 4;
  const Expr batch = context.dim(0, 0);
  context.require_dim(batch, context.dim(1, 0), "the batch sizes of its operands");
  context.require_dim(batch, context.dim(2, 0), "the batch sizes of its operands");
  require_heads_apart(context, 1, heads);
  require_heads_apart(context, 2, heads);
  const Expr key_size = size_of_head(context, context.dim(0, 2), heads);
  const Expr value_size =
      is_apart ? context.dim(2, 3) : size_of_head(context, context.dim(2, 2), heads);
  context.set_shape(0, {batch, context.dim(0, 1), Expr(heads) * value_size});
  if (context.has_input(8)) throw ShapeUnknown();
  Expr keys = context.dim(2, is_apart ? 2 : 1);
  if (context.has_input(6)) keys = keys + context.dim(6, 2);
  set_present(context, {batch, heads, keys, key_size}, {batch, heads, keys, value_size});
  if (context.has_output(3)) context.set_shape(3, {batch, heads, context.dim(0, 1), keys});
}

/// Queries [batch, rows, width], keys and values [batch, rows, width]; or all three in one tensor.
void infer_group_query_attention(ShapeContext& context) {
  set_elements_like_query(context);
  const std::int64_t heads = required_heads(context, "num_heads");
  const std::int64_t key_heads = required_heads(context, "kv_num_heads");
  const bool is_packed = !context.has_input(1);
  const Expr size =
      size_of_head(context, context.dim(0, 2), is_packed ? heads + 2 * key_heads : heads);
  const Expr batch = context.dim(0, 0);
  const Expr rows = context.dim(0, 1);
  context.set_shape(0, {batch, rows, Expr(heads) * size});
  if (context.has_input(3)) throw ShapeUnknown();
  const Expr keys = is_packed ? rows : context.dim(1, 1);
  const Shape present = {batch, key_heads, keys, size};
  set_present(context, present, present);
}

/// Input [batch, rows, width] and the weights of the projection to queries, keys and values.
void infer_projecting_attention(ShapeContext& context) {
  set_elements_like_query(context);
  const std::int64_t heads = required_heads(context, "num_heads");
  const Integers sizes = context.attributes().integers("qkv_hidden_sizes");
  if (!sizes.empty() && sizes.size() != 3) context.fail("its qkv_hidden_sizes are not 3 sizes");
  context.require_dim(context.dim(0, 2), context.dim(1, 0), "the widths of its input and weights");
  const Expr width = sizes.empty() ? floor_divide(context.dim(1, 1), 3) : Expr(sizes[2]);
  const Expr batch = context.dim(0, 0);
  const Expr rows = context.dim(0, 1);
  context.set_shape(0, {batch, rows, width});
  if (!context.has_output(1)) return;
  if (context.has_input(6)) throw ShapeUnknown();
  const Expr keys = context.has_input(4) ? rows + context.dim(4, 3) : rows;
  context.set_shape(1, {2, batch, heads, keys, size_of_head(context, width, heads)});
}

double axis_of(const std::vector<std::int64_t>& dims, std::size_t axis) {
  return axis < dims.size() ? static_cast<double>(dims[axis]) : 0;
}

/// Two products and the softmax.
/// @param queries the number of elements of the queries @param keys the number of keys
double flops_of_scores(const CostContext& cost, double queries, double keys) {
  const auto heads = static_cast<double>(cost.node.attributes.integer("num_heads", 1));
  const auto& result = cost.outputs.empty() ? std::vector<std::int64_t>() : cost.outputs[0];
  const double rows = axis_of(result, 0) * axis_of(result, 1);
  return keys * (2 * queries + 2 * cost.output_elements() + softmax_flops * heads * rows);
}

/// Queries [batch, rows, width], and keys [batch, keys, width], [batch, heads, keys, size] or, with
/// the values, [batch, keys, heads, 2, size]. Without keys, the queries are
/// [batch, rows, heads, 3, size] and contain keys and values.
double multi_head_flops(const CostContext& cost) {
  const bool is_packed = cost.input_dims(1).empty();
  const auto& keys = cost.input_dims(is_packed ? 0 : 1);
  const double own = axis_of(keys, keys.size() == 4 ? 2 : 1);
  const double queries = cost.input_elements(0) / (is_packed ? 3 : 1);
  return flops_of_scores(cost, queries, own + axis_of(cost.input_dims(6), 2));
}

/// The heads of queries and values have the same size, so the queries have as many elements as the
/// result.
double group_query_flops(const CostContext& cost) {
  return flops_of_scores(cost, cost.output_elements(),
                         axis_of(cost.input_dims(0), 1) + axis_of(cost.input_dims(3), 2));
}

double projecting_flops(const CostContext& cost) {
  const double width = axis_of(cost.input_dims(1), 1);
  const Integers sizes = cost.node.attributes.integers("qkv_hidden_sizes");
  const double query_width = sizes.empty() ? width / 3 : static_cast<double>(sizes[0]);
  const double rows = axis_of(cost.input_dims(0), 1);
  return 2 * cost.input_elements(0) * width +
         flops_of_scores(cost, axis_of(cost.input_dims(0), 0) * rows * query_width,
                         rows + axis_of(cost.input_dims(4), 3));
}

}  // namespace

void add_contrib_attention_ops(OpRegistry& registry) {
  registry.add(microsoft(
      {.type = "MultiHeadAttention",
       .operands = "query:float[3..5] key?=query[3..5] value?=query[3..4] bias?=query[1] "
                   "key_padding_mask?:int32[1..3] attention_bias?=query[4] past_key?=query[4] "
                   "past_value?=query[4] past_sequence_length?:int32 cache_indirection?:int32[3] "
                   "-> output present_key? present_value? qk?",
       .infer = infer_multi_head_attention,
       .flops = multi_head_flops,
       .unit = ComputeUnit::matrix}));
  registry.add(microsoft(
      {.type = "GroupQueryAttention",
       .operands = "query:float[3] key?=query[3] value?=query[3] past_key?[4] past_value?[4] "
                   "seqlens_k?:int32[1] total_sequence_length?:int32[0..1] cos_cache?=query[2] "
                   "sin_cache?=query[2] position_ids?:int64[2] attention_bias?=query[4] "
                   "head_sink?=query[1] k_scale?:float v_scale?:float q_norm_weight?=query[1] "
                   "k_norm_weight?=query[1] query_seqlens?:int32[1] "
                   "-> output present_key? present_value? output_qk?",
       .infer = infer_group_query_attention,
       .flops = group_query_flops,
       .unit = ComputeUnit::matrix}));
  registry.add(microsoft(
      {.type = "Attention",
       .operands = "input:float[3] weights=input[2] bias?=input[1] mask_index?:int32[1..4] "
                   "past?=input[5] attention_bias?=input[4] past_sequence_length?:int32 "
                   "-> output present?",
       .infer = infer_projecting_attention,
       .flops = projecting_flops,
       .unit = ComputeUnit::matrix}));
}

}  // namespace stashscope
