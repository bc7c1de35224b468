// Linear attention: a state, which every token changes, replaces the keys and values of the past.

#include <cmath>

#include "core/run/cpu/attention/attention.h"
#include "core/run/cpu/attention/heads.h"

namespace stashscope::cpu {

namespace {

/// The operand decay or rate: a number for each row of a head's state at each token, from a tensor
/// [batch, sequence, heads * rows]. If the operand has only one number per head or per token, all
/// rows use this number.
class TokenFactors {
 public:
  TokenFactors(const KernelContext& context, std::size_t input, std::int64_t heads)
      : heads_(heads) {
    if (!context.has_input(input)) return;
    items_ = numbers_of<double>(context.in(input));
    length_ = context.in(input).dim(1);
    width_ = context.in(input).dim(2);
  }

  bool given() const { return width_ > 0; }
  double at(std::int64_t batch, std::int64_t token, std::int64_t head, std::int64_t row) const {
    const std::int64_t rows = std::max<std::int64_t>(1, width_ / heads_);
    const std::int64_t place = width_ == 1 ? 0 : head * rows + (rows == 1 ? 0 : row);
    return items_[static_cast<std::size_t>((batch * length_ + token) * width_ + place)];
  }

 private:
  std::vector<double> items_;
  std::int64_t heads_;
  std::int64_t length_ = 0;
  std::int64_t width_ = 0;
};

/// The state [key size, value size] of one head.
struct LinearState {
  double* items;
  std::int64_t rows;
  std::int64_t columns;

  void decay(const TokenFactors& decay, std::int64_t batch, std::int64_t token,
             std::int64_t head) const {
    for (std::int64_t row = 0; row < rows; ++row) {
      const double kept = std::exp(decay.at(batch, token, head, row));
      for (std::int64_t i = 0; i < columns; ++i) items[row * columns + i] *= kept;
    }
  }
  /// The vector times the state.
  std::vector<double> read(const double* vector) const {
    std::vector<double> sum(static_cast<std::size_t>(columns), 0);
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t i = 0; i < columns; ++i) {
        sum[static_cast<std::size_t>(i)] += vector[row] * items[row * columns + i];
      }
    }
    return sum;
  }
  void add_outer(const double* key, const std::vector<double>& value) const {
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t i = 0; i < columns; ++i) {
        items[row * columns + i] += key[row] * value[static_cast<std::size_t>(i)];
      }
    }
  }
};

/// The operands of LinearAttention, split into heads.
struct LinearOperands {
  Heads queries;
  Heads keys;
  Heads values;
  TokenFactors decay;
  TokenFactors rate;
  double scale;

  explicit LinearOperands(const KernelContext& context)
      : queries(context.in(0), context.attributes().require_integer("q_num_heads")),
        keys(context.in(1), context.attributes().require_integer("kv_num_heads")),
        values(context.in(2), keys.heads),
        decay(context, 4, keys.heads),
        rate(context, 5, keys.heads),
        scale(double{context.attributes().real("scale", 0)}) {
    if (scale == 0) scale = 1 / std::sqrt(static_cast<double>(queries.size));
    if (queries.size != keys.size) fail_run("", "its queries and keys have different head sizes");
  }
};

/// Updates a head's state with one token.
void take_token(const LinearOperands& given, const LinearState& state, std::int64_t batch,
                std::int64_t head, std::int64_t token) {
  if (given.decay.given()) state.decay(given.decay, batch, token, head);
  const double* const key = given.keys.row(batch, head, token);
  const double* const own = given.values.row(batch, head, token);
  std::vector<double> value(own, own + given.values.size);
  if (given.rate.given()) {
    const std::vector<double> known = state.read(key);
    const double rate = given.rate.at(batch, token, head, 0);
    for (std::size_t i = 0; i < value.size(); ++i) value[i] = rate * (value[i] - known[i]);
  }
  state.add_outer(key, value);
}

}  // namespace

/// (query, key, value, [state], [decay], [rate]) -> output, [state]. The operands that are present
/// determine the update rule. (ONNX, LinearAttention)
void linear_attention(const KernelContext& context) {
  const LinearOperands given(context);
  const std::int64_t batches = context.in(0).dim(0);
  const std::int64_t group = given.queries.heads / given.keys.heads;
  const std::int64_t size = given.keys.size * given.values.size;
  std::vector<double> states(static_cast<std::size_t>(batches * given.keys.heads * size), 0);
  if (context.has_input(3)) states = numbers_of<double>(context.in(3));
  Heads result = Heads::zeros(context.out(), given.queries.heads);
  for (std::int64_t i = 0; i < batches * given.keys.heads; ++i) {
    const std::int64_t batch = i / given.keys.heads;
    const std::int64_t head = i % given.keys.heads;
    const LinearState state = {states.data() + i * size, given.keys.size, given.values.size};
    for (std::int64_t token = 0; token < given.queries.length; ++token) {
      take_token(given, state, batch, head, token);
      for (std::int64_t query = head * group; query < (head + 1) * group; ++query) {
        const std::vector<double> sum = state.read(given.queries.row(batch, query, token));
        double* const to = result.row(batch, query, token);
        for (std::size_t k = 0; k < sum.size(); ++k) to[k] = given.scale * sum[k];
      }
    }
  }
  store_numbers(result.items, context.out());
  if (context.has_output(1)) store_numbers(states, context.out(1));
}

}  // namespace stashscope::cpu
