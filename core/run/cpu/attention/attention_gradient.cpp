// The gradient of attention. The kernel recomputes the softmax weights of the keys.

#include <optional>

#include "core/run/cpu/attention/attention.h"
#include "core/run/cpu/attention/scores.h"

namespace stashscope::cpu {

namespace {

/// The gradient of all keys (or values), [batch, heads, sequence, size], initialized with the
/// gradient of the output `present_key` (or `present_value`).
Heads presented_gradient(const Heads& all, const TensorView& presented) {
  Heads gradient = all;
  gradient.items = numbers_of<double>(presented);
  gradient.items.resize(all.items.size(), 0);
  return gradient;
}

/// Stores a part of a gradient as output `output`. The part starts at sequence position `first` and
/// is as long as the output.
void store_positions(const Heads& all, std::int64_t first, const KernelContext& context,
                     std::size_t output) {
  if (!context.has_output(output)) return;
  const TensorView& target = context.out(output);
  Heads part = Heads::zeros(target, all.heads);
  for (std::int64_t batch = 0; batch < target.dim(0); ++batch) {
    for (std::int64_t head = 0; head < all.heads; ++head) {
      for (std::int64_t i = 0; i < part.length; ++i) {
        std::copy_n(all.row(batch, head, first + i), all.size, part.row(batch, head, i));
      }
    }
  }
  store_numbers(part.items, target);
}

/// The gradient of the mask, which may be broadcast.
class MaskGradient {
 public:
  MaskGradient(const TensorView& mask, std::vector<std::int64_t> products) {
    covered_ = mask.dim(-1) == 1 ? products[3] : mask.dim(-1);
    products[3] = covered_;
    strides_ = broadcast_strides(products, mask.dims);
    items_.assign(static_cast<std::size_t>(mask.elements()), 0);
  }

  void add(std::int64_t batch, std::int64_t head, std::int64_t query, std::int64_t key,
           double gradient) {
    if (key >= covered_) return;
    items_[static_cast<std::size_t>(batch * strides_[0] + head * strides_[1] + query * strides_[2] +
                                    key * strides_[3])] += gradient;
  }
  const std::vector<double>& items() const { return items_; }

 private:
  std::vector<std::int64_t> strides_;
  std::int64_t covered_ = 0;
  std::vector<double> items_;
};

/// y += factor * x
void add_scaled(double factor, const double* x, std::int64_t count, double* y) {
  if (factor == 0) return;
  for (std::int64_t i = 0; i < count; ++i) y[i] += factor * x[i];
}

/// Makes keys of weight 0 contribute nothing, even if such a key or its value is NaN or infinite.
void forget_hidden(const std::vector<double>& weights, std::vector<double>& products,
                   std::vector<double>& row) {
  for (std::size_t key = 0; key < weights.size(); ++key) {
    if (weights[key] != 0) continue;
    row[key] = 0;
    if (!std::isfinite(products[key])) products[key] = 0;
  }
}

/// The results of AttentionGrad.
struct AttentionGradients {
  Heads queries;
  Heads keys;
  Heads values;
  std::optional<MaskGradient> mask;
};

/// Adds the contribution of one query to `gradients`. @param dy the gradient of the query's result
/// @param shown the gradient of the query's scores in output 3; may be null
void add_query_gradients(const AttentionOperands& given, const Scores& scores, const Bias& bias,
                         std::int64_t batch, std::int64_t head, std::int64_t query,
                         const double* dy, const double* shown, AttentionGradients& gradients) {
  const std::int64_t shared = head / given.group;
  const double* const own = given.queries.row(batch, head, query);
  std::vector<double> products(static_cast<std::size_t>(given.keys.length));
  multiply_keys(own, given.keys, batch, shared, products);
  std::vector<double> weights = products;
  scores.finish(
      weights, [&](std::int64_t key) { return bias.at(batch, head, query, key); }, nullptr);
  std::vector<double> row(products.size());
  multiply_keys(dy, given.values, batch, shared, row);
  forget_hidden(weights, products, row);
  scores.go_back(products, weights, row, shown, [&](std::int64_t key, double gradient) {
    if (gradients.mask) gradients.mask->add(batch, head, query, key, gradient);
  });
  for (std::int64_t key = 0; key < given.keys.length; ++key) {
    const auto at = static_cast<std::size_t>(key);
    add_scaled(weights[at], dy, given.values.size, gradients.values.row(batch, shared, key));
    add_scaled(row[at], own, given.keys.size, gradients.keys.row(batch, shared, key));
    add_scaled(row[at], given.keys.row(batch, shared, key), given.keys.size,
               gradients.queries.row(batch, head, query));
  }
}

}  // namespace

/// (operands of Attention, gradients of its outputs) -> gradients of Q, K, V, mask, past key and
/// past value
void attention_grad(const KernelContext& context) {
  const AttentionOperands given(context);
  const std::int64_t query_heads = AttentionOperands::query_heads(context);
  const Bias bias(context, given.products, given.past);
  const Scores scores(context, given.queries.size);
  const Heads dy = context.has_input(7) ? Heads(context.in(7), query_heads) : Heads();
  const std::vector<double> none(static_cast<std::size_t>(given.values.size), 0);
  const std::vector<double> shown = numbers_of<double>(operand(context, 10));
  AttentionGradients gradients = {Heads::zeros(context.in(0), query_heads),
                                  presented_gradient(given.keys, operand(context, 8)),
                                  presented_gradient(given.values, operand(context, 9)),
                                  {}};
  if (context.has_output(3)) gradients.mask.emplace(context.in(3), given.products);
  given.for_each_query([&](auto batch, auto head, auto query, auto index) {
    add_query_gradients(given, scores, bias, batch, head, query,
                        dy.items.empty() ? none.data() : dy.row(batch, head, query),
                        shown.empty() ? nullptr : shown.data() + index * given.keys.length,
                        gradients);
  });
  if (context.has_output(0)) store_numbers(gradients.queries.items, context.out(0));
  store_positions(gradients.keys, given.past, context, 1);
  store_positions(gradients.values, given.past, context, 2);
  if (gradients.mask) store_numbers(gradients.mask->items(), context.out(3));
  store_positions(gradients.keys, 0, context, 4);
  store_positions(gradients.values, 0, context, 5);
}

}  // namespace stashscope::cpu
