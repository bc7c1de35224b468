// Attention over queries, keys and values, and rotary position embedding.

#include <algorithm>
#include <array>

#include "core/ops/attention/attention_shapes.h"
#include "core/ops/attention/ops.h"
#include "core/ops/rules/known_texts.h"
#include "core/ops/rules/rules.h"

namespace stashscope {

namespace {

Expr heads_of(ShapeContext& context, std::size_t input, const char* attribute) {
  if (context.rank(input) == 4) return context.dim(input, 1);
  return context.attributes().require_integer(attribute);
}

/// The size of one head: the last axis of [batch, heads, sequence, size], or the last axis of
/// [batch, sequence, heads * size] divided by `heads`.
Expr head_size(ShapeContext& context, std::size_t input, const Expr& heads) {
  const Expr& last = context.shape(input).back();
  return context.rank(input) == 4 ? last : floor_divide(last, heads);
}

Expr sequence_length(ShapeContext& context, std::size_t input) {
  return context.dim(input, context.rank(input) - 2);
}

Expr head_count(ShapeContext& context, std::size_t input) {
  return heads_of(context, input, input == 0 ? "q_num_heads" : "kv_num_heads");
}

/// Checks that the batches, heads, head sizes and lengths of queries, keys, values and past keys
/// and values fit together.
void check_attention(ShapeContext& context) {
  if (context.rank(1) != context.rank(0) || context.rank(2) != context.rank(0)) {
    context.fail("its queries, keys and values have different numbers of axes");
  }
  const Expr queries = head_count(context, 0);
  const Expr keys = head_count(context, 1);
  for (const std::size_t input : {0U, 1U, 2U}) {
    const auto heads = head_count(context, input).integer();
    const auto width = context.shape(input).back().integer();
    if (heads && *heads < 1)
      context.fail("the number of heads of input " + std::to_string(input) + " is below 1");
    if (context.rank(input) == 3 && heads && width && *width % *heads != 0) {
      context.fail("the size of the last axis of input " + std::to_string(input) +
                   " is not a multiple of its number of heads");
    }
    context.require_dim(context.dim(0, 0), context.dim(input, 0),
                        "the batch sizes of its operands");
  }
  if (queries.integer() && keys.integer() && *queries.integer() % *keys.integer() != 0) {
    context.fail("the number of query heads is not a multiple of the number of key heads");
  }
  context.require_dim(keys, head_count(context, 2), "the numbers of heads of keys and values");
  context.require_dim(head_size(context, 0, queries), head_size(context, 1, keys),
                      "the head sizes of queries and keys");
  context.require_dim(sequence_length(context, 1), sequence_length(context, 2),
                      "the lengths of keys and values");
  for (const std::size_t past : {4U, 5U}) {
    if (!context.has_shape(past)) continue;
    context.require_dim(context.dim(0, 0), context.dim(past, 0), "the batch sizes of its operands");
    context.require_dim(keys, context.dim(past, 1),
                        "the numbers of heads of past and new keys or values");
    context.require_dim(context.dim(past, 3), head_size(context, past - 3, keys),
                        "the head sizes of past and new keys or values");
  }
  if (context.has_input(4) != context.has_input(5))
    context.fail("has only one of the inputs past key and past value");
  if (context.has_input(4)) {
    context.require_dim(context.dim(4, 2), context.dim(5, 2),
                        "the lengths of past keys and values");
  }
  context.require_length(6, context.dim(0, 0), "the number of key lengths and the batch size");
}

/// The mask may cover fewer keys than `total`, which counts past and new keys. Keys that the mask
/// does not cover are hidden. (ONNX, Attention, attn_mask)
void check_mask(ShapeContext& context, const Expr& queries, const Expr& total) {
  if (!context.has_shape(3)) return;
  const Expr covered = context.dim(3, -1);
  const bool is_longer =
      covered.integer() && total.integer() && *covered.integer() > *total.integer();
  if (is_longer) context.fail("the mask covers more keys than the node has");
  context.require_broadcastable(3,
                                {context.dim(0, 0), queries, sequence_length(context, 0), covered});
}

/// The shapes of the outputs of Attention: result, present key, present value, and products of
/// queries and keys.
std::array<Shape, 4> onnx_attention_shapes(ShapeContext& context) {
  check_attention(context);
  const Expr batch = context.dim(0, 0);
  const Expr queries = heads_of(context, 0, "q_num_heads");
  const Expr keys = heads_of(context, 1, "kv_num_heads");
  const Expr key_size = head_size(context, 1, keys);
  const Expr value_size = head_size(context, 2, keys);
  const Expr length = sequence_length(context, 0);
  Expr total = sequence_length(context, 1);
  if (context.has_input(4)) total = total + context.dim(4, 2);
  check_mask(context, queries, total);
  const Shape result = context.rank(0) == 4 ? Shape{batch, queries, length, value_size}
                                            : Shape{batch, length, queries * value_size};
  return {result, Shape{batch, keys, total, key_size}, Shape{batch, keys, total, value_size},
          Shape{batch, queries, length, total}};
}

/// (Q, K, V, [mask], [past key], [past value], [key lengths]) -> Y, [present key], [present value],
/// [products]
void infer_attention(ShapeContext& context) {
  const std::int64_t stage = context.attributes().integer("qk_matmul_output_mode", 0);
  if (stage < 0 || stage > 3) {
    context.fail("its qk_matmul_output_mode is " + std::to_string(stage) + ", not 0, 1, 2 or 3");
  }
  for (std::size_t i = 0; i < context.output_count(); ++i) {
    context.set_element(i, context.element(i == 2 ? 2 : 0));
  }
  const std::array<Shape, 4> shapes = onnx_attention_shapes(context);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (context.has_output(i)) context.set_shape(i, shapes[i]);
  }
}

/// The numbers of inputs and outputs of Attention. AttentionGrad takes the inputs of Attention,
/// then the gradients of the outputs.
constexpr std::size_t attention_operands = 7;
constexpr std::size_t attention_outputs = 4;

/// The outputs are the gradients of Q, K, V, [mask], [past key], [past value].
void infer_attention_grad(ShapeContext& context) {
  const std::array<Shape, attention_outputs> shapes = onnx_attention_shapes(context);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    context.require_shape(attention_operands + i, shapes[i]);
  }
  for (std::size_t i = 0; i < context.output_count(); ++i) {
    if (!context.has_output(i)) continue;
    if (!context.has_input(i)) context.fail("has an output for the gradient of a missing operand");
    context.set_like_input(i, i);
  }
}

/// The gradient operator computes the attention weights again, so that only the operands are
/// stashed.
void attention_gradient(GradientContext& g) {
  std::vector<ValueId> inputs;
  for (std::size_t i = 0; i < attention_operands; ++i) {
    inputs.push_back(g.has_input(i) ? g.input(i) : ValueId());
  }
  for (std::size_t i = 0; i < attention_outputs; ++i) {
    inputs.push_back(g.arrives(i) ? g.gradient(i) : ValueId());
  }
  while (!inputs.back().valid()) inputs.pop_back();
  std::vector<bool> wanted;
  for (std::size_t i = 0; i + 1 < attention_operands; ++i) wanted.push_back(g.wants(i));
  while (!wanted.back()) wanted.pop_back();
  const std::vector<ValueId> grads =
      g.add_microsoft("AttentionGrad", std::move(inputs), wanted, g.attributes());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) g.give(i, grads[i]);
  }
}

double axis_from_back(const std::vector<std::int64_t>& dims, std::size_t distance) {
  return dims.size() < distance ? 0 : static_cast<double>(dims[dims.size() - distance]);
}

/// The number of query rows of all heads: batch * heads * queries.
double query_rows(const CostContext& cost) {
  const auto& queries = cost.input_dims(0);
  const double size = axis_from_back(queries, 1);
  if (queries.size() != 3) return size == 0 ? 0 : cost.input_elements(0) / size;
  const auto heads = static_cast<double>(cost.node.attributes.integer("q_num_heads", 1));
  return size == 0 ? 0 : heads * cost.input_elements(0) / size;
}

/// The number of keys, including the past keys.
double key_length(const CostContext& cost) {
  return axis_from_back(cost.input_dims(1), 2) +
         (cost.input_dims(4).empty() ? 0 : axis_from_back(cost.input_dims(4), 2));
}

/// The flops of queries times keys, of the softmax, and of attention weights times values. Masked
/// positions are computed, too.
double attention_flops(const CostContext& cost) {
  return key_length(cost) * (2 * cost.input_elements(0) + 2 * cost.output_elements() +
                             softmax_flops * query_rows(cost));
}

/// The node computes the attention weights again. Then it multiplies the output's gradient by the
/// values and by the attention weights, and the gradient of the attention weights by the queries
/// and by the keys. The softmax counts twice: it is computed again, and then differentiated.
double attention_grad_flops(const CostContext& cost) {
  return key_length(cost) * (6 * cost.input_elements(0) + 4 * cost.input_elements(7) +
                             2 * softmax_flops * query_rows(cost));
}

/// Checks the batch, the length and the heads of queries, keys and values.
void require_heads(ShapeContext& context, const std::array<std::int64_t, 3>& heads,
                   const Expr& key_size) {
  for (std::size_t input = 0; input < heads.size(); ++input) {
    context.require_dim(context.dim(input, 0), context.dim(0, 0),
                        "the batch sizes of its operands");
    context.require_dim(context.dim(input, 1), context.dim(0, 1),
                        "the sequence lengths of its operands");
    const auto width = context.dim(input, 2).integer();
    if (width && *width % heads[input] != 0) {
      context.fail("input " + std::to_string(input) + " has " + std::to_string(*width) +
                   " numbers per token, which is not a multiple of its " +
                   std::to_string(heads[input]) + " heads");
    }
  }
  context.require_dim(floor_divide(context.dim(1, 2), heads[1]), key_size,
                      "the head sizes of its queries and keys");
}

/// Checks an optional operand [batch, length, width], where the width is 1, `heads` or
/// `heads * rows`.
/// @param rows number of rows of the state of one head
void require_token_factors(ShapeContext& context, std::size_t input, std::int64_t heads,
                           const Expr& rows) {
  if (!context.has_shape(input)) return;
  context.require_dim(context.dim(input, 0), context.dim(0, 0), "the batch sizes of its operands");
  context.require_dim(context.dim(input, 1), context.dim(0, 1),
                      "the sequence lengths of its operands");
  const auto width = context.dim(input, 2).integer();
  const auto most = (Expr(heads) * rows).integer();
  if (!width || *width == 1 || *width == heads || !most || *width == *most) return;
  context.fail("input " + std::to_string(input) + " has " + std::to_string(*width) +
               " numbers per token, but must have 1, " + std::to_string(heads) + " or " +
               std::to_string(*most));
}

/// (Q [batch, sequence, heads * key size], K [batch, sequence, key heads * key size], V [batch,
/// sequence, key heads * value size], optional state, optional decay, optional beta) -> Y, state
/// [batch, key heads, key size, value size]
void infer_linear_attention(ShapeContext& context) {
  context.set_element(0, context.element(0));
  context.set_element(1, context.element(context.has_input(3) ? 3 : 0));
  for (const std::size_t input : {0U, 1U, 2U}) {
    if (context.rank(input) != 3) context.fail("its queries, keys and values need rank 3");
  }
  const std::int64_t queries = context.attributes().require_integer("q_num_heads");
  const std::int64_t keys = context.attributes().require_integer("kv_num_heads");
  if (keys < 1 || queries < keys || queries % keys != 0) {
    context.fail("its number of query heads is not a positive multiple of its number of key heads");
  }
  require_known_text(context, "update_rule", {"linear", "gated", "delta", "gated_delta"});
  const std::string rule = context.attributes().text("update_rule", "gated_delta");
  if ((rule.find("gated") != std::string::npos) != context.has_input(4) ||
      (rule.find("delta") != std::string::npos) != context.has_input(5)) {
    context.fail(
        "its update rule does not match its inputs: only the gated rules need the input 'decay', "
        "only the delta rules need the input 'beta', and an input that the rule does not need must "
        "be omitted");
  }
  const Expr key_size = floor_divide(context.dim(0, 2), queries);
  const Expr value_size = floor_divide(context.dim(2, 2), keys);
  require_heads(context, {queries, keys, keys}, key_size);
  const Shape state = {context.dim(0, 0), keys, key_size, value_size};
  context.require_shape(3, state);
  require_token_factors(context, 4, keys, key_size);
  require_token_factors(context, 5, keys, key_size);
  context.set_shape(0, {context.dim(0, 0), context.dim(0, 1), value_size * Expr(queries)});
  if (context.has_output(1)) {
    context.set_shape(1, state);
  }
}

/// Each token changes and reads the state: about 6 operations per element of the state.
double linear_attention_flops(const CostContext& cost) {
  const auto heads = static_cast<double>(cost.node.attributes.integer("q_num_heads", 1));
  const double key_size = axis_from_back(cost.input_dims(0), 1) / std::max(1.0, heads);
  return 6 * key_size * cost.output_elements();
}

/// (data, cosines, sines, optional positions). With positions, the tables of cosines and sines have
/// the dims [positions, half of the rotated size]; without positions, [batch, sequence, half of the
/// rotated size].
void infer_rotary_embedding(ShapeContext& context) {
  context.set_like_input(0, 0);
  context.require_same_shape(1, 2);
  const std::int64_t heads =
      context.rank(0) == 3 ? context.attributes().require_integer("num_heads") : 1;
  const auto width = context.shape(0).back().integer();
  if (heads < 1 || (width && *width % heads != 0)) {
    context.fail("the size of the last axis of its data is not a multiple of its number of heads");
  }
  const Expr batch = context.dim(0, 0);
  const Expr length = sequence_length(context, 0);
  const std::int64_t tables = context.has_input(3) ? 2 : 3;
  if (context.rank(1) != tables) {
    context.fail("its tables of cosines and sines need rank " + std::to_string(tables) +
                 (tables == 2 ? ", because it has positions" : ", because it has no positions"));
  }
  const std::size_t positions = context.has_input(3) ? 3 : 1;
  if (!context.has_shape(positions)) return;
  context.require_dim(context.dim(positions, 0), batch, "the batch sizes of data and positions");
  context.require_dim(context.dim(positions, 1), length, "the lengths of data and positions");
}

/// The gradient is rotated in the opposite direction. The tables get no gradient: tables that the
/// model stores are constants, and tables that are computed from parameters are refused.
void rotary_embedding_gradient(GradientContext& g) {
  for (const std::size_t table : {1U, 2U}) {
    if (g.wants(table) && g.is_computed(table)) {
      fail_gradient(
          "its tables of cosines and sines have no gradient rule, but are computed from "
          "parameters");
    }
  }
  std::vector<ValueId> inputs = {g.gradient(), g.input(1), g.add("Neg", {g.input(2)})};
  if (g.has_input(3)) inputs.push_back(g.input(3));
  if (g.wants(0)) g.give(0, g.add("RotaryEmbedding", std::move(inputs), g.attributes()));
}

}  // namespace

void add_attention_ops(OpRegistry& registry) {
  registry.add({.type = "Attention",
                .versions = {23, 24},
                .operands = {{23,
                              "Q:float[3..4] K=Q[3..4] V:float[3..4] attn_mask?[2..4] "
                              "past_key?=K[4] past_value?=V[4] -> "
                              "Y present_key? present_value? qk_matmul_output?"},
                             {24,
                              "Q:float[3..4] K=Q[3..4] V:float[3..4] attn_mask?[2..4] "
                              "past_key?=K[4] past_value?=V[4] nonpad_kv_seqlen?:int64[1] -> "
                              "Y present_key? present_value? qk_matmul_output?"}},
                .infer = infer_attention,
                .gradient = attention_gradient,
                .flops = attention_flops,
                .unit = ComputeUnit::matrix});
  registry.add(microsoft(
      {.type = "AttentionGrad",
       .operands =
           "Q:float[3..4] K=Q[3..4] V:float[3..4] attn_mask?[2..4] past_key?=K[4] past_value?=V[4] "
           "nonpad_kv_seqlen?:int64[1] dY?=Q[3..4] dPresentKey?=Q[4] dPresentValue?=V[4] "
           "dWeights?=Q[4] -> "
           "dQ? dK? dV? dMask? dPastKey? dPastValue?",
       .infer = infer_attention_grad,
       .flops = attention_grad_flops,
       .unit = ComputeUnit::matrix}));
  registry.add({.type = "LinearAttention",
                .versions = {27},
                .operands = "query:float[3] key=query[3] value=query[3] past_state?:float[4] "
                            "decay?=query[3] beta?=query[3] -> output present_state?",
                .infer = infer_linear_attention,
                .flops = linear_attention_flops});
  registry.add({.type = "RotaryEmbedding",
                .versions = {23},
                .operands = "X:float[3..4] cos_cache=X[2..3] sin_cache=X[2..3] "
                            "position_ids?:index[2] -> Y",
                .infer = infer_rotary_embedding,
                .gradient = rotary_embedding_gradient,
                .flops = flops_per_element<3>});
}

}  // namespace stashscope
