// Attention over queries, keys and values.

#include "core/run/cpu/attention/attention.h"
#include "core/run/cpu/attention/scores.h"

namespace stashscope::cpu {

namespace {

/// Adds the weighted values of all keys to `sums`. A hidden key adds nothing, even if its value is
/// NaN.
void add_weighted(const Heads& values, std::int64_t batch, std::int64_t head,
                  const std::vector<double>& weights, double* sums) {
  for (std::size_t key = 0; key < weights.size(); ++key) {
    if (weights[key] == 0) continue;
    const double* const value = values.row(batch, head, static_cast<std::int64_t>(key));
    for (std::int64_t i = 0; i < values.size; ++i) sums[i] += weights[key] * value[i];
  }
}

}  // namespace

/// The operator Attention (ONNX).
void attention(const KernelContext& context) {
  const AttentionOperands given(context);
  const Bias bias(context, given.products, given.past);
  const Scores scores(context, given.queries.size);
  const bool shows = context.has_output(3);
  std::vector<double> shown(shows ? static_cast<std::size_t>(element_count(given.products)) : 0);
  Heads result = Heads::zeros(context.out(), AttentionOperands::query_heads(context));
  std::vector<double> row(static_cast<std::size_t>(given.keys.length));
  given.for_each_query([&](auto batch, auto head, auto query, auto index) {
    const std::int64_t shared = head / given.group;
    multiply_keys(given.queries.row(batch, head, query), given.keys, batch, shared, row);
    const auto bias_at = [&](std::int64_t key) { return bias.at(batch, head, query, key); };
    scores.finish(row, bias_at, shows ? shown.data() + index * given.keys.length : nullptr);
    add_weighted(given.values, batch, shared, row, result.row(batch, head, query));
  });
  store_numbers(result.items, context.out());
  if (context.has_output(1)) store_numbers(given.keys.items, context.out(1));
  if (context.has_output(2)) store_numbers(given.values.items, context.out(2));
  if (shows) store_numbers(shown, context.out(3));
}

}  // namespace stashscope::cpu
