// Attention over queries, keys and values, and rotary position embedding.

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

/// The products of queries with keys and of weights with values, and the softmax in between. Masked
/// positions are computed, too.
double attention_flops(const CostContext& cost) {
  constexpr double softmax = 8;  // per weight, as for Softmax
  const double length = axis_from_back(cost.input_dims(1), 2) +
                        (cost.input_dims(4).empty() ? 0 : axis_from_back(cost.input_dims(4), 2));
  return length *
         (2 * cost.input_elements(0) + 2 * cost.output_elements() + softmax * query_rows(cost));
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
                .flops = attention_flops,
                .unit = ComputeUnit::matrix});
  registry.add({.type = "RotaryEmbedding",
                .versions = {23},
                .infer = infer_rotary_embedding,
                .gradient = rotary_embedding_gradient,
                .flops = flops_per_element<3>});
}

}  // namespace stashscope
