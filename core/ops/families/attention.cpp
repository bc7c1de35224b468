// Attention over queries, keys and values, and rotary position embedding.

#include <algorithm>

#include "core/ops/families/families.h"
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

/// (Q, K, V, [mask], [past key], [past value], [key lengths]) -> Y, [present key], [present value],
/// [products]
void infer_attention(ShapeContext& context) {
  for (std::size_t i = 0; i < context.output_count(); ++i) {
    context.set_element(i, context.element(i == 2 ? 2 : 0));
  }
  for (const std::size_t input : {0U, 1U, 2U}) {
    const std::int64_t rank = context.rank(input);
    if (rank != 3 && rank != 4) context.fail("its operands need rank 3 or 4");
  }
  const Expr batch = context.dim(0, 0);
  const Expr queries = heads_of(context, 0, "q_num_heads");
  const Expr keys = heads_of(context, 1, "kv_num_heads");
  const Expr key_size = head_size(context, 1, keys);
  const Expr value_size = head_size(context, 2, keys);
  const Expr length = sequence_length(context, 0);
  Expr total = sequence_length(context, 1);
  if (context.has_input(4)) total = total + context.dim(4, 2);
  if (context.rank(0) == 4) {
    context.set_shape(0, {batch, queries, length, value_size});
  } else {
    context.set_shape(0, {batch, length, queries * value_size});
  }
  if (context.has_output(1)) context.set_shape(1, {batch, keys, total, key_size});
  if (context.has_output(2)) context.set_shape(2, {batch, keys, total, value_size});
  if (context.has_output(3)) context.set_shape(3, {batch, queries, length, total});
}

/// Operands of AttentionGrad: those of Attention, then the gradients of its outputs.
constexpr std::size_t attention_operands = 7;
constexpr std::size_t attention_outputs = 4;

/// -> gradients of Q, K, V, [mask], [past key], [past value]
void infer_attention_grad(ShapeContext& context) {
  for (std::size_t i = 0; i < context.output_count(); ++i) {
    if (context.has_output(i)) context.set_like_input(i, i);
  }
}

/// The gradient computes the weights of the keys again, so that only the operands are kept.
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

/// Rows of all heads: batch * heads * queries.
double query_rows(const CostContext& cost) {
  const auto& queries = cost.input_dims(0);
  const double size = axis_from_back(queries, 1);
  if (queries.size() != 3) return size == 0 ? 0 : cost.input_elements(0) / size;
  const auto heads = static_cast<double>(cost.node.attributes.integer("q_num_heads", 1));
  return size == 0 ? 0 : heads * cost.input_elements(0) / size;
}

constexpr double softmax_flops = 8;  // per weight, as for Softmax

/// The number of keys, with those of earlier calls.
double key_length(const CostContext& cost) {
  return axis_from_back(cost.input_dims(1), 2) +
         (cost.input_dims(4).empty() ? 0 : axis_from_back(cost.input_dims(4), 2));
}

/// The products of queries with keys and of weights with values, and the softmax in between. Masked
/// positions are computed, too.
double attention_flops(const CostContext& cost) {
  return key_length(cost) * (2 * cost.input_elements(0) + 2 * cost.output_elements() +
                             softmax_flops * query_rows(cost));
}

/// The weights again, then the products of the output's gradient with values and weights, and of
/// the weights' gradient with queries and keys.
double attention_grad_flops(const CostContext& cost) {
  return key_length(cost) * (6 * cost.input_elements(0) + 4 * cost.input_elements(7) +
                             2 * softmax_flops * query_rows(cost));
}

/// (Q [batch, sequence, heads * key size], K, V [batch, sequence, key heads * value size],
/// [state], [decay], [rate]) -> Y, state [batch, key heads, key size, value size]
void infer_linear_attention(ShapeContext& context) {
  context.set_element(0, context.element(0));
  context.set_element(1, context.element(context.has_input(3) ? 3 : 0));
  for (const std::size_t input : {0U, 1U, 2U}) {
    if (context.rank(input) != 3) context.fail("its queries, keys and values need rank 3");
  }
  const std::int64_t queries = context.attributes().require_integer("q_num_heads");
  const std::int64_t keys = context.attributes().require_integer("kv_num_heads");
  if (keys < 1 || queries < keys || queries % keys != 0) {
    context.fail("its query heads are not a multiple of its key heads");
  }
  const std::string rule = context.attributes().text("update_rule", "gated_delta");
  if ((rule.find("gated") != std::string::npos) != context.has_input(4) ||
      (rule.find("delta") != std::string::npos) != context.has_input(5)) {
    context.fail("its update rule does not match its operands");
  }
  const Expr key_size = floor_divide(context.dim(0, 2), queries);
  const Expr value_size = floor_divide(context.dim(2, 2), keys);
  context.set_shape(0, {context.dim(0, 0), context.dim(0, 1), value_size * Expr(queries)});
  if (context.has_output(1)) {
    context.set_shape(1, {context.dim(0, 0), keys, key_size, value_size});
  }
}

/// Each token changes and reads the state: about 6 operations per element of the state.
double linear_attention_flops(const CostContext& cost) {
  const auto heads = static_cast<double>(cost.node.attributes.integer("q_num_heads", 1));
  const double key_size = axis_from_back(cost.input_dims(0), 1) / std::max(1.0, heads);
  return 6 * key_size * cost.output_elements();
}

void infer_rotary_embedding(ShapeContext& context) { context.set_like_input(0, 0); }

/// The gradient is rotated in the opposite direction.
void rotary_embedding_gradient(GradientContext& g) {
  std::vector<ValueId> inputs = {g.gradient(), g.input(1), g.add("Neg", {g.input(2)})};
  if (g.has_input(3)) inputs.push_back(g.input(3));
  if (g.wants(0)) g.give(0, g.add("RotaryEmbedding", std::move(inputs), g.attributes()));
}

}  // namespace

void add_attention_ops(OpRegistry& registry) {
  registry.add({.type = "Attention",
                .versions = {23, 24},
                .infer = infer_attention,
                .gradient = attention_gradient,
                .flops = attention_flops,
                .unit = ComputeUnit::matrix});
  registry.add(microsoft({.type = "AttentionGrad",
                          .infer = infer_attention_grad,
                          .flops = attention_grad_flops,
                          .unit = ComputeUnit::matrix}));
  registry.add({.type = "LinearAttention",
                .versions = {27},
                .infer = infer_linear_attention,
                .flops = linear_attention_flops});
  registry.add({.type = "RotaryEmbedding",
                .versions = {23},
                .infer = infer_rotary_embedding,
                .gradient = rotary_embedding_gradient,
                .flops = flops_per_element<3>});
}

}  // namespace stashscope
